/** A real browser for the pages of the console: Debian's chromium, without a screen. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const ARTEFACTS = resolve(__dirname, '..', '..', 'test-artefacts', 'console');
/** Pictures are for people, and no test looks at them: CI leaves them out, because they are a tenth of the browser's work. */
const HAS_PICTURES = process.env['PICTURES'] !== '0';
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const SIZES = { phone: { width: 360, height: 740 }, desktop: { width: 1440, height: 900 } } as const;
/** What axe-core judges in each theme: dark differs from light in colours alone. */
const THEMES = { light: {}, dark: { runOnly: ['color-contrast', 'link-in-text-block'] } } as const;

export type Size = keyof typeof SIZES;

/** Without chromium the tests are skipped under their names; CI has chromium. */
export const describeWithBrowser = PROGRAM !== undefined || process.env.CI === 'true' ? describe : describe.skip;

/**
 * For every window chromium draws a popup of its address bar, and keeps a process for the next page: more work than our page
 * is. Only the last list of features counts, so those that Playwright switches off, and those that would use the network or
 * delay a first paint, are here as well.
 */
const FEATURES_OFF = [
  ...['WebUIOmniboxAimPopup', 'WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess'],
  ...['PaintHolding', 'HttpsUpgrades', 'MediaRouter', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  ...['PreconnectToSearch', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'LensOverlay'],
];

export function openBrowser(): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error('chromium is missing: apt-get install chromium');
  const args = [
    ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
    `--disable-features=${FEATURES_OFF.join()}`,
  ];
  // As root, as in a container, chromium starts only without its own sandbox; it opens nothing but our pages.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-component-update', ...args] });
}

/** The result of looking at a page once. */
export interface PageFindings {
  /** Errors of scripts, of the console and of the security policy, and missing files. */
  readonly errors: readonly string[];
  /** What axe-core finds, as `theme rule impact: element`. */
  readonly barriers: readonly string[];
  /** The time until anything is painted. */
  readonly firstPaintMs: number;
  /** Everything that the page needs, as sent over the wire. */
  readonly bytes: number;
  /** How much wider than the window the page is, so that it must be scrolled sideways. */
  readonly overflowPx: number;
  /** Tables that are cut off where no key can scroll them, by the width of the window. */
  readonly cutOff: readonly string[];
}

export interface InspectOptions {
  readonly name: string;
  readonly size: Size;
  /** Runs on the page before the page is judged. */
  readonly play?: (page: Page) => Promise<void>;
}

export async function inspectPage(browser: Browser, url: string, options: InspectOptions): Promise<PageFindings> {
  const { name, size, play } = options;
  const context = await browser.newContext({ viewport: SIZES[size], reducedMotion: 'reduce' });
  const page = await context.newPage();
  const errors: string[] = [];
  let bytes = 0;
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('response', (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
  page.on('requestfinished', (request) => {
    void request.sizes().then(
      (sizes) => (bytes += sizes.responseBodySize + sizes.responseHeadersSize),
      () => undefined,
    );
  });
  try {
    await page.goto(url, { waitUntil: 'load' });
    await play?.(page);
    // Waits for the first events of a stream and for what they draw.
    await page.waitForTimeout(300);
    // These run in the browser, so they are texts: this program has no types for the browser's names.
    const firstPaintMs: number = await page.evaluate(
      "performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? -1",
    );
    const overflowPx: number = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    mkdirSync(ARTEFACTS, { recursive: true });
    const barriers: string[] = [];
    await page.evaluate(AXE);
    for (const [theme, rules] of Object.entries(THEMES)) {
      await page.emulateMedia({ colorScheme: theme as keyof typeof THEMES });
      await page.waitForTimeout(100);
      if (HAS_PICTURES) await page.screenshot({ path: join(ARTEFACTS, `${name}-${size}-${theme}.png`), fullPage: true });
      barriers.push(...(await findBarriers(page, rules)).map((barrier) => `${theme} ${barrier}`));
    }
    const cutOff: string[] = [];
    for (const width of size === 'desktop' ? WIDTHS_BETWEEN : []) {
      await page.setViewportSize({ ...SIZES[size], width });
      cutOff.push(...(await page.evaluate<readonly string[]>(CUT_OFF)).map((table) => `${width} ${table}`));
    }
    return { errors, barriers, firstPaintMs, bytes, overflowPx, cutOff };
  } finally {
    await context.close();
  }
}

/** A tablet and a small laptop. */
const WIDTHS_BETWEEN = [768, 1100];
const CUT_OFF = `[...document.querySelectorAll('.table:not([tabindex])')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((table) => table.querySelector('caption').textContent.trim())`;

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

async function findBarriers(page: Page, rules: object): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map((node) => `${id} ${impact}: ${node.html.slice(0, 160)} ${node.failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`),
  );
}
