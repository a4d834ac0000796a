// What every page has: the theme, and keys. Nothing here is needed to read a page.

const THEMES = ['auto', 'light', 'dark'];
const root = document.documentElement;

for (const button of document.querySelectorAll('[data-theme-switch]')) {
  const show = () => {
    button.textContent = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' }[root.dataset.theme];
    button.setAttribute('aria-label', `Theme: ${root.dataset.theme}. Press to change.`);
  };
  show();
  button.addEventListener('click', () => {
    root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
    // A cookie and no local storage: the server writes it into the page, so that the first paint has it.
    document.cookie = `console_theme=${root.dataset.theme}; path=/console; max-age=31536000; samesite=strict`;
    show();
    document.dispatchEvent(new Event('theme'));
  });
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, [contenteditable]')) return;
  const search = document.querySelector('[data-search]');
  if (search === null) return;
  event.preventDefault();
  search.focus();
  search.select();
});
