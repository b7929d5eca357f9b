import { expect, it } from 'vitest';
import { programIds, programs } from './programs';

const key = 'pp_' + 'k'.repeat(32);
const server = 'https://paste.example/base';

it('gives ShareX a file that its own rules take', () => {
  const { text, file } = programs.sharex.settings(key, server);
  expect(file).toBe('paste.example.sxcu');
  expect(JSON.parse(text)).toEqual({
    Version: '15.0.0',
    Name: 'paste.example',
    DestinationType: 'ImageUploader, TextUploader, FileUploader',
    RequestMethod: 'POST',
    RequestURL: 'https://paste.example/base/',
    Headers: { Authorization: `ApiKey ${key}`, Accept: 'application/json' },
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:data.url}',
    ThumbnailURL: '{json:data.raw_url}',
    DeletionURL: '{header:X-Url-Delete}',
    ErrorMessage: '{json:message}',
  });
});

it('names the server in every setting, and the key in none that is kept in the open', () => {
  for (const id of programIds) {
    const { text } = programs[id].settings(key, server);
    expect(text, id).toContain(server);
    expect(text.includes(key), id).toBe(id !== 'github' && id !== 'terminal');
    // Others can read the arguments of a process.
    expect(text, id).not.toMatch(/-H .*Authorization/);
  }
});
