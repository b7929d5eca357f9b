import { config } from '../../config';
import { permissions } from '../../auth/permissions';

const { TEXT, FILE_SHARE, WEBDAV_READ, WEBDAV_MANAGE } = permissions;

/** Settings are what a program is given, with the key in it. */
export interface Settings {
  text: string;
  /** file is its name when it is saved. */
  file: string;
}

/** Program is one that a key can be made for. */
interface Program {
  /** name is its own, in any language; it also begins the name of the key. */
  name: string;
  /** bits are the permissions that it needs, and no more. */
  bits: number;
  settings: (key: string, server: string) => Settings;
}

/** serverAddress is where programs find the server: no slash at its end. */
export const serverAddress = (): string =>
  new URL(config.apiBase, location.origin).href.replace(/\/api\/?$/, '');

/** headerOf gives curl the key by a pipe: others can read the arguments of a process. */
const headerOf = (key: string) => `-K <(printf 'header = "Authorization: ApiKey %s"' ${key})`;

const sharex = (key: string, server: string) => ({
  Version: '15.0.0',
  Name: new URL(server).host,
  DestinationType: 'ImageUploader, TextUploader, FileUploader',
  RequestMethod: 'POST',
  RequestURL: `${server}/`,
  Headers: { Authorization: `ApiKey ${key}`, Accept: 'application/json' },
  Body: 'MultipartFormData',
  FileFormName: 'file',
  URL: '{json:data.url}',
  ThumbnailURL: '{json:data.raw_url}',
  DeletionURL: '{header:X-Url-Delete}',
  ErrorMessage: '{json:message}',
});

/** programs are those that the panel has settings for. */
export const programs = {
  sharex: {
    name: 'ShareX',
    bits: FILE_SHARE,
    settings: (key, server) => ({
      text: JSON.stringify(sharex(key, server), null, 2),
      file: `${new URL(server).hostname}.sxcu`,
    }),
  },
  flameshot: {
    name: 'Flameshot',
    bits: FILE_SHARE,
    settings: (key, server) => ({
      text: `#!/bin/bash
key='${key}'
link=$(flameshot gui --raw |
  curl -sf --data-binary @- -H 'Content-Type: image/png' \\
    ${headerOf('"$key"')} \\
    '${server}/?name=screenshot.png') || exit 1
printf %s "$link" | xclip -selection clipboard
notify-send "$link"
`,
      file: 'flameshot-share.sh',
    }),
  },
  shortcuts: {
    name: 'iOS Shortcuts',
    bits: FILE_SHARE,
    settings: (key, server) => ({
      text: `URL: ${server}/
Method: POST
Header: Authorization = ApiKey ${key}
Request Body: Form
file (File) = Shortcut Input
`,
      file: 'shortcut.txt',
    }),
  },
  raycast: {
    name: 'Raycast',
    bits: TEXT,
    settings: (key, server) => ({
      text: `#!/bin/bash
# @raycast.schemaVersion 1
# @raycast.title Share clipboard
# @raycast.mode silent
# @raycast.packageName Pasteport
key='${key}'
link=$(pbpaste | curl -sf --data-binary @- \\
  ${headerOf('"$key"')} \\
  '${server}/') || exit 1
printf %s "$link" | pbcopy
echo "$link"
`,
      file: 'share-clipboard.sh',
    }),
  },
  github: {
    name: 'GitHub Actions',
    bits: FILE_SHARE,
    settings: (_key, server) => ({
      text: `- name: Share the build
  shell: bash
  env:
    PASTEPORT_API_KEY: \${{ secrets.PASTEPORT_API_KEY }}
  run: |
    curl -sf -T build.zip \\
      ${headerOf('"$PASTEPORT_API_KEY"')} \\
      '${server}/?expires=7d' >> "$GITHUB_STEP_SUMMARY"
`,
      file: 'share.yml',
    }),
  },
  curl: {
    name: 'curl',
    bits: TEXT | FILE_SHARE,
    settings: (key, server) => ({
      text: `# curl -K pasteport.curl -T FILE ${server}/
# dmesg | curl -K pasteport.curl --data-binary @- ${server}/
header = "Authorization: ApiKey ${key}"
`,
      file: 'pasteport.curl',
    }),
  },
  rclone: {
    name: 'rclone',
    bits: WEBDAV_READ | WEBDAV_MANAGE,
    settings: (key, server) => ({
      text: `[pasteport]
type = webdav
url = ${server}/dav/
vendor = other
headers = Authorization,ApiKey ${key}
`,
      file: 'rclone.conf',
    }),
  },
  terminal: {
    name: 'Pasteport',
    bits: TEXT | FILE_SHARE,
    settings: (_key, server) => ({
      text: `pasteport login ${server}
pasteport push FILE
dmesg | pasteport paste
`,
      file: 'pasteport.txt',
    }),
  },
} as const satisfies Record<string, Program>;

export type ProgramId = keyof typeof programs;

export const programIds = Object.keys(programs) as ProgramId[];
