/** A request that somebody wrote down, and its bytes on the wire. */
export interface WrittenRequest {
  readonly method: string;
  readonly target: string;
  /** `Name: value`, as written. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** With a length that fits, whatever the headers said: saved requests are edited by hand. */
export function writeRequest({ method, target, headers, body }: WrittenRequest): Buffer {
  const kept = headers.filter(
    (header) =>
      !/^(?:content-length|transfer-encoding|connection|expect|host)\s*:/i.test(header) && !/^[\w-]+\s*:\s*$/.test(header),
  );
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: explain',
    'Connection: close',
    ...kept,
    ...(body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}
