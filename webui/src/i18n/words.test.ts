import { expect, it } from 'vitest';
import * as en from './en';
import type { Messages } from './shape';
import * as zh from './zh';

// The rules and the list of names stand in docs/visual-language.md.

const flat = (messages: Messages, prefix = ''): [string, string][] =>
  Object.entries(messages).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + name, value]] : flat(value, `${prefix}${name}.`),
  );

async function texts(catalogue: typeof en | typeof zh): Promise<[string, string][]> {
  const areas = await Promise.all(
    Object.entries(catalogue.areas).map(async ([name, load]) => [name, (await load()).default] as const),
  );
  return flat({ ...catalogue.core, ...Object.fromEntries(areas) } as Messages);
}

/** What the English texts do not say, and what they say instead. */
const refusedEnglish: [RegExp, string][] = [
  [/\b(go(es)?|went) on\b/i, 'resume, continue'],
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'just, after you opened it'],
  [/\blies?\b/i, 'is in'],
  [/\bholds\b/i, 'contains'],
  [/\bfound out\b/i, 'detected'],
  [/\bgood for\b/i, 'valid for'],
  [/\bas far as\b/i, 'if, up to'],
  [/\b(put in force|in force)\b/i, 'active'],
  [/\bthrow(n)? away\b/i, 'discard'],
  [/\bfacts\b/i, 'details'],
  [/\b(mount explorer|directory|directories)\b/i, 'files, folder'],
  [/(?<!-)\bpictures?\b(?!-)/i, 'image'],
  [/\b(sounds?|films?)\b/i, 'audio, video'],
  [/\bstorage configs?\b/i, 'storage'],
  [/\bremark\b/i, 'title, note'],
  [/\b(cannot|(could|is|are|was|were|do|does|did|has|have|would) not)\b/i, 'a contraction'],
  [/[\d}] %(?!\{)/, '% without a space'],
  [/\b(empty (keeps|hides)|leave (it )?empty)\b/i, 'leave blank'],
  [/\bblank:|\b0 =/i, 'leave blank to …, 0 means …'],
  [/\buser name\b/i, 'username'],
  [/\b(a|new|this|the) paste\b/i, 'share, text'],
  [/\b(cancell(ed|ing)|colours?|authoris\w+|behaviour|organis\w+)\b/i, 'American spelling'],
  [/(?<!%\{)\bid\b/, 'ID'],
  [/\bfor instance\b/i, 'for example'],
  [/\w'\w|"[^"]*"/, 'curly quotes'],
  [/\.\.\.(?!\w)/, '…'],
];

/** What the Chinese texts do not say, and what they say instead. */
const refusedChinese: [RegExp, string][] = [
  [/(?<!根|数据)目录/, '文件夹'],
  [/直接链接/, '直链'],
  [/清除选择/, '取消选择'],
  [/链接后缀/, '自定义链接, 链接'],
  [/保存为 (HTML|PDF|PNG|Word|Markdown)/, '导出为'],
  [/存储配置/, '存储'],
  [/挂载点|挂载浏览/, '挂载, 文件'],
  [/吗？/, 'a question without 吗'],
  [/到期/, '过期'],
  [/留空(：|表示)|(^|。)0：/, '留空则…, 0 表示…'],
  [/微软|谷歌/, 'Microsoft, Google'],
  [/[\u3400-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u3400-\u9fff]/, 'a space between Chinese and Latin'],
  [/[\d}] %(?!\{)/, '% without a space'],
  [/\.\.\./, '…'],
];

/** Texts that are quoted word for word by the contract (§8), and tables of contents, which are 目录. */
const given = new Set([
  'errors.http.keyInvalid',
  'errors.http.other',
  'file.errors.fetch',
  'file.errors.noETag',
  'file.errors.presign',
  'login.noToken',
  'viewers.office.failed.link',
  'editor.contents',
  'markdownView.contents',
]);

function refused(all: [string, string][], rules: [RegExp, string][]) {
  return all
    .filter(([key]) => !given.has(key))
    .flatMap(([key, text]) =>
      rules
        .filter(([word]) => word.test(text))
        .map(([word, better]) => `${key}: ${text} (${word}: ${better})`),
    );
}

it('says nothing in English that the list of words refuses', async () => {
  expect(refused(await texts(en), refusedEnglish)).toEqual([]);
});

it('says nothing in Chinese that the list of words refuses', async () => {
  expect(refused(await texts(zh), refusedChinese)).toEqual([]);
});

/** unstopped are the hints and the texts of several sentences that lack their full stop, but for those that end in a value. */
function unstopped(all: [string, string][], stop: RegExp, several: RegExp): string[] {
  return all
    .filter(([key]) => !given.has(key))
    .flatMap(([key, text]) => text.split(' |||| ').map((form): [string, string] => [key, form]))
    .filter(([key, text]) => /hints?(\.\w+)?$/i.test(key) || (several.test(text) && !/[}…：:]$/.test(text)))
    .filter(([, text]) => !stop.test(text))
    .map(([key, text]) => `${key}: ${text}`);
}

it('ends hints, and whatever has several sentences, with a full stop', async () => {
  expect(unstopped(await texts(en), /[.?]$/, /[.?!] [A-Z“]/)).toEqual([]);
  expect(unstopped(await texts(zh), /[。？]$/, /[。？！]./)).toEqual([]);
});

it('ends no title with a full stop', async () => {
  const titles = [...(await texts(en)), ...(await texts(zh))].filter(
    ([key, text]) => /title$/i.test(key) && /[.。]$/.test(text),
  );
  expect(titles).toEqual([]);
});

it.each([
  ['The upload goes on', refusedEnglish],
  ['Uploading %{percent} %', refusedEnglish],
  ['The file cannot be read', refusedEnglish],
  ['Enter the user name', refusedEnglish],
  ['Upload cancelled', refusedEnglish],
  ['New paste', refusedEnglish],
  ['删除此文件吗？', refusedChinese],
  ['留空：使用默认值', refusedChinese],
  ['此目录为空', refusedChinese],
  ['WebDAV设置', refusedChinese],
])('refuses %s', (text, rules) => {
  expect(refused([['a.text', text]], rules)).toHaveLength(1);
});

it('tells revisions of the rules from versions of texts and files, in both languages', async () => {
  const saying = (all: [string, string][], word: RegExp) =>
    all.filter(([, text]) => word.test(text)).map(([key]) => key);
  const revisions = saying(await texts(en), /revision/i);
  expect(revisions.filter((key) => /^(revisions|explorer|pasteMore)\./.test(key))).toEqual([]);
  expect(saying(await texts(zh), /修订版/).toSorted()).toEqual(revisions.toSorted());
});

it('has one name for each thing in the menu', async () => {
  const english = new Map(await texts(en));
  const names = ['texts', 'files', 'storage', 'mounts', 'keys', 'account'].map((page) =>
    english.get(`admin.pages.${page}`),
  );
  expect(names).toEqual(['Texts', 'Files', 'Storage', 'Mounts', 'API keys', 'Account']);
  expect(['settings', 'system'].map((group) => english.get(`admin.groups.${group}`))).toEqual([
    'Settings',
    'Operations',
  ]);
});
