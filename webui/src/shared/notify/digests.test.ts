import { expect, it } from 'vitest';
import { digestHint } from './digests';

const said = (key: string, values?: unknown) => `${key} ${JSON.stringify(values ?? {})}`;

it('says when digests come in the time of the browser, also where that is another day', () => {
  const hint = (digest: string, zone: string) =>
    digestHint(digest, said, 'en-US', zone)?.replace('\u202f', ' ');
  expect(hint('daily', 'Asia/Shanghai')).toBe('channels.digestHints.daily {"time":"4:00 PM"}');
  expect(hint('weekly', 'UTC')).toBe('channels.digestHints.weekly {"day":"Monday","time":"8:00 AM"}');
  expect(hint('weekly', 'Pacific/Honolulu')).toBe(
    'channels.digestHints.weekly {"day":"Sunday","time":"10:00 PM"}',
  );
  expect(hint('hourly', 'UTC')).toBe('channels.digestHints.hourly {}');
  expect(hint('', 'UTC')).toBeUndefined();
});
