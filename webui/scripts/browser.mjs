/** How the flows and the measuring scripts start the browser. */
export const browserOptions = {
  executablePath: process.env.PASTEPORT_CHROMIUM ?? '/usr/bin/chromium',
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
