// HTTP/1.1 on a plain socket, for both ends of the gateway's benchmark: what measures must cost little beside what is measured.

/** Calls `take(head, body)` for every whole message. A message without Content-Length has no body. Text is Latin-1. */
export function eachMessage(socket, take) {
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n') + 4;
      if (headEnd < 4) return;
      const head = text.slice(0, headEnd);
      const end = headEnd + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end) return;
      const body = text.slice(headEnd, end);
      text = text.slice(end);
      take(head, body);
    }
  });
}

/** The bytes of a message: first line, header lines, body. */
export function message(firstLine, headers, body = '') {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `${[firstLine, ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}
