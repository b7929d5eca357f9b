// The first that fits counts: most browsers name others besides themselves.
const browsers: readonly [mark: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:MicroMessenger)\//, 'WeChat'],
  [/\b(?:Chromium)\//, 'Chromium'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly [mark: RegExp, name: string][] = [
  [/\bHarmonyOS\b|\bOpenHarmony\b/, 'HarmonyOS'],
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPadOS'],
  [/\b(?:iPhone|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const named = (agent: string, marks: typeof browsers) => marks.find(([mark]) => mark.test(agent))?.[1];

/** browserOf reads the names of a browser and its system out of a User-Agent; what is not known is missing. */
export function browserOf(agent: string): { browser?: string; system?: string } {
  const browser = named(agent, browsers);
  const system = named(agent, systems);
  return { ...(browser && { browser }), ...(browser && system && { system }) };
}
