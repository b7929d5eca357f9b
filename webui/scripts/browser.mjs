/**
 * How the flows and the measuring scripts start the browser: Chromium without its own windows, which takes half the
 * time.
 */
export const browserOptions = {
  executablePath: process.env.PASTEPORT_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
