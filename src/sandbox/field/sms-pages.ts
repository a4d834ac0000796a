// 3GPP TS 23.038, section 6.2.1: the characters that travel as seven bits; those of the extension table take two places.
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENSION = new Set('\f^{}\\[~]|€');

/** How many pages a message takes: 160 characters, or 153 each when there are several; with other alphabets 70 and 67. */
export function smsPages(message: string): number {
  let units = 0;
  for (const character of message) {
    if (BASIC.has(character)) units += 1;
    else if (EXTENSION.has(character)) units += 2;
    else return pagesOf(message.length, 70, 67);
  }
  return pagesOf(units, 160, 153);
}

function pagesOf(units: number, single: number, joined: number): number {
  return units <= single ? 1 : Math.ceil(units / joined);
}
