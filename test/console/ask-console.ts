/** Asks the console of a test's house as its own forms and htmx do. */

export interface Shown {
  readonly status: number;
  /** Without tags, with single blanks. */
  readonly text: string;
  readonly html: string;
}

export interface ConsoleAsked {
  get(path: string): Promise<Shown>;
  /** Follows the redirect to the page that shows the result. */
  post(path: string, fields?: Readonly<Record<string, string>>): Promise<Shown>;
}

export function consoleOf(adminUrl: string): ConsoleAsked {
  const show = async (asked: Promise<Response>): Promise<Shown> => {
    const response = await asked;
    const html = await response.text();
    return { status: response.status, html, text: plain(html) };
  };
  return {
    get: (path) => show(fetch(`${adminUrl}/console${path}`)),
    post: (path, fields = {}) => show(fetch(`${adminUrl}/console${path}`, { method: 'POST', body: new URLSearchParams(fields) })),
  };
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|amp|quot|#39);/g, (_all, name: string) => NAMED[name]!)
    .replace(/\s+/g, ' ');
}

/** The value of a hidden field of a form that is shown. */
export function hiddenIn(html: string, name: string): string {
  const value = new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1];
  if (value === undefined) throw new Error(`No form has the hidden field ${name}.`);
  return value;
}
