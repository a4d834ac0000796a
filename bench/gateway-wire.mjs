// HTTP/1.1 on a plain socket, for both ends of the gateway's benchmark: what measures must cost little beside what is measured.

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Calls `take(head, body)` for every whole message; the body of a chunked message includes the chunk sizes. Text is Latin-1. */
export function eachMessage(socket, take) {
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n') + 4;
      if (headEnd < 4) return;
      const head = text.slice(0, headEnd);
      const end = endOf(text, head);
      if (end === undefined || text.length < end) return;
      const body = text.slice(headEnd, end);
      text = text.slice(end);
      take(head, body);
    }
  });
}

/** The index of the message's end; undefined when its last chunk has not arrived. */
function endOf(text, head) {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined || !/\r\ntransfer-encoding: *chunked/i.test(head)) return head.length + Number(length ?? 0);
  const last = text.indexOf(LAST_CHUNK, head.length);
  return last < 0 ? undefined : last + LAST_CHUNK.length;
}

/** The bytes of a message: first line, header lines, body. */
export function message(firstLine, headers, body = '') {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `${[firstLine, ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}
