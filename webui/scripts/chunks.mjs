// Which sources share a file of the build: what always loads together, since every request costs a phone more than
// the few bytes that a page may not need. e2e/requests.spec.ts counts them, scripts/budget.mjs weighs them.
// The first group that fits a source takes it. A view stays out of the groups, so that the manifest names it.

/** smallAreas are the small message areas that follow a page when something is opened or the page is idle. */
export const smallAreas =
  'pwa shortcuts editor exports pasteMore preview revisions visits homeMore usage qr shareBox shareEdit shareGate'.split(
    ' ',
  );

const group = (name, test, more = {}) => ({ name, test, includeDependenciesRecursively: false, ...more });
// What only pages of the panel draw.
const panelIcons =
  'chevron-first|chevron-last|circle-minus|circle-x|database-backup|file-stack|folder-tree|footprints|plug|power|shield-user|timer-off';
const any = (...patterns) => new RegExp(patterns.map(({ source }) => source).join('|'));

/** chunkGroups are the groups, for rolldown's codeSplitting. */
export const chunkGroups = [
  // What a text needs to be drawn before the app is there (src/textFirst.ts): nothing in it may import React's DOM.
  group(
    'base',
    any(
      /node_modules\/(react|use-sync-external-store)\//,
      /preload-helper/,
      /\/src\/(config|store|theme\/mode|theme\/grounds|i18n\/(index|store|phrases)|shared\/(clipboard|rules|preview\/lines|markdown\/(ahead|outlined|headings))|public\/paste\/syntax)\./,
      // One style sheet for what every page and every text looks like.
      /virtual:tokens|\/src\/(theme\/base\.css|shell\/\w+\.module|shared\/(Wordmark|ui\/(Button|IconButton|CopyButton|Segmented|Skeleton|Toasts|LazyMenu)|view\/View|preview\/bar|markdown\/document)\.module|public\/paste\/paste\.module)/,
    ),
  ),
  {
    // What every page needs at once.
    name: 'core',
    test: any(
      /node_modules\/(react-dom|scheduler|wouter|regexparam|mitt)\//,
      /\/src\/api\/(credentials|errors|errorText|offline)\./,
      /\/src\/auth\/(session|validity|permissions)\./,
      // The API's client, and where a sign-in leads back to.
      /\/src\/(api\/(client|early|pastes|settings)|auth\/returnPath)\./,
      /\/src\/(hooks|shared)\/(?!useLeaveGuard|useObserved|useEnd|useWidth|useWindow|saveBlob|inherited)[a-zA-Z]+\.tsx?$/,
      /\/src\/shared\/ui\/(Button|IconButton|CopyButton|Segmented|Skeleton|openDialogs|questions|toasts)\./,
      /\/icons\/(lock-keyhole|link-2|eye|key-round)\.mjs$/,
    ),
  },
  // Who is signed in, and what is kept here for them; what works without a network, which a page starts when idle.
  group(
    'account',
    /\/src\/(api\/auth|auth\/signIn|shell\/WhoChip|shared\/useLeaveGuard|shared\/offline\/(?!pictures)[a-zA-Z]+)\.|node_modules\/idb\/|\/icons\/circle-user-round\.mjs/,
  ),
  group(
    'pwa',
    /\/src\/(pwa(?!\/Versions)|shell\/extras\/(index|Extras|keys)|shared\/(ui\/(ToastMessage|Field|PasswordField)|exports\/ExportMenu))\b|\/icons\/eye-off\.mjs/,
  ),
  group('words-en', words('en')),
  group('words-zh', words('zh')),
  // What both pages of a share need besides.
  group(
    'share',
    any(
      /\/src\/shared\/gate\/(GateView|useGate|password|gate\.module)\./,
      /\/src\/shared\/(preview\/(Settled|TextBar|useWrapKey)|markdown\/(LazyMarkdownDocument|Markdown)|ui\/(Time|LazyQrDialog))\./,
      /\/icons\/(list-tree|triangle-exclamation-point|qr-code|download|ellipsis|chevron-down|text-wrap)\.mjs/,
      /\/src\/(hooks\/useObserved|shared\/saveBlob)\./,
    ),
  ),
  // The whole Markdown stack, which comes with the first text that needs it; its controls, which nearly every text
  // needs a moment later; what shows and colours code; formulas.
  group(
    'markdown',
    any(
      /(?<!\/mermaid\/)node_modules\/(marked|dompurify\/)/,
      /\/src\/shared\/markdown\/(dialects|drawn|groups|headings|lines|outlined|render|sanitize|parse|markdown\.module)\./,
    ),
  ),
  group('controls', /\/src\/shared\/markdown\/(decorate|dialect|codeBlock|diagram|cjk)\./),
  group('document', /\/src\/shared\/markdown\/MarkdownDocument\./),
  group('outline', /\/src\/shared\/markdown\/(beside|Divider|Outline|outlineTree)\./),
  group(
    'code',
    /node_modules\/highlight\.js\/(lib|es)\/core|\/src\/shared\/markdown\/(highlight|codeNames)\.|\/src\/shared\/preview\/(CodeView|TextView|GoToLines|folds|text\.module|HtmlDialog|framedHtml|html\.module)\b/,
  ),
  group('math', /\/src\/shared\/markdown\/math\.|node_modules\/katex\//),
  // What most diagrams of Mermaid need; each kind of diagram comes by itself.
  group(
    'diagrams',
    any(
      /node_modules\/mermaid\/(dist\/(mermaid\.core|chunks\/mermaid\.core\/(chunk-|dagre-|flowDiagram-))|node_modules\/)/,
      /node_modules\/(khroma|d3-(?!sankey|hierarchy|axis|scale-chromatic)|roughjs|dayjs|@iconify|es-toolkit)/,
      /\/src\/shared\/markdown\/mermaid\./,
      /node_modules\/(fastdom|ts-dedent|@braintree|lodash-es|dagre-d3-es)/,
    ),
  ),
  // What a share is made of, and fields of forms, with the card for those who must sign in first; its own form, which
  // Home opens later; the editor of Markdown.
  group(
    'form',
    any(
      /\/src\/shared\/(shareform\/(values|useShareForm|labels)|visits\/latch|editor\/(editor|PlainEditor|Toolbar|editor\.module))\b/,
      /\/src\/auth\/Gate\./,
      /\/icons\/(eraser|file-input)\.mjs/,
    ),
  ),
  group(
    'terms',
    any(
      /\/src\/shared\/(shareform\/(ShareForm|saveTelling)|visits\/LatchFields)\b/,
      /\/icons\/(flame|shuffle)\.mjs/,
    ),
  ),
  group(
    'writing',
    /\/src\/(shared\/editor\/marks|public\/home\/(MarkdownPanes|Divider|whenCalm|Preview|along))\b/,
  ),
  // What two texts have in common, where one was changed.
  group('diff', /node_modules\/diff\/|\/src\/shared\/editor\/(diff|LineText|versions\.module)\b/),
  // Lists of what the server has, their files, and uploads.
  group(
    'query',
    any(
      /node_modules\/@tanstack\//,
      /\/src\/shared\/query\/(client|Queries|useReading|useRetryOnline|files|folders|requests|tasks|useTaskDeed)\./,
      /\/src\/(api\/(collections|files|fs|urls|storage|tagged|requests)|hooks\/(useWidth|useWindow)|auth\/otherAccount)\./,
      /\/src\/shared\/(requests\/types|preview\/(kind|KindIcon))\./,
    ),
  ),
  group(
    'preview',
    /\/src\/shared\/(preview\/(loadText|encoding|DownloadLink|FileGlyph|archives|LoadFailed|previewed|moving|useWork|ImagePreview|Suspended|FilePreview|index|preview\.module)|gate\/useDownload)\./,
  ),
  // Uploads, and what the parts of the explorer share, which needs both at once.
  group(
    'uploads',
    any(
      /\/src\/(api\/fileParts|hooks\/useEnd|shared\/uploader\/(parts|begun|md5|errors|keepAwake|queue|uploads|sources|FilePicker|usePageDrops|speed|uploadErrorText|arrived)|shared\/requests\/(parts|visit))\./,
      /\/src\/(public\/explorer\/(entries|place|Thumb|thumbs|useThumb|useSelection|useMarks|EntryIcon|explorer\.module)|shared\/(foldertree\/paths|offline\/pictures))\b/,
    ),
  ),
  group(
    'uploadRows',
    /\/src\/shared\/uploader\/(UploadRow|UnfinishedRow|useUnfinished|goOn|inParts|multipart|sendToRequest|share|shareParts|put|mount|transfers|duration|Progress|row\.module)\b/,
  ),
  // Else every icon and every small part that several pages share would be a request of its own.
  group(
    'parts',
    any(
      new RegExp(`/icons/(?!(${panelIcons})\\.)[a-z0-9-]+\\.mjs$`),
      /\/src\/shared\/(ui\/(Dialog|FormProblems|modal|scrollStop|menuKeys|MenuItems|Menu\.module|EmptyState|ErrorSummary\.module|ProblemList|Tabs|choices)|problem\/|meter\/)|\/src\/(theme\/tokens|auth\/RequireAccess)\./,
    ),
    { minShareCount: 2 },
  ),
  // The panel: what react-admin is made of; what several of the panel's pages share besides. Its frame stands between.
  group(
    'panelBase',
    any(
      /node_modules\/(ra-core|ra-language-english|react-hook-form|react-router|lodash|inflection|eventemitter3|react-error-boundary|jsonexport|query-string|decode-uri-component|split-on-first|filter-obj|strict-uri-encode)\//,
      /\/src\/api\/admin\//,
      new RegExp(`/icons/(${panelIcons})\\.mjs$`),
    ),
  ),
  group(
    'panelPages',
    any(
      /node_modules\/(@mui|@emotion|stylis|@popperjs|react-transition-group|dom-helpers|clsx|prop-types|react-is|hoist-non-react-statics|@babel|ra-ui-materialui|diacritic)\//,
      /\/src\/admin\/(list|share|form|keys|mounts|storage|settings|ops|useAct|data\/(records|queries|source|bulk))\b/,
    ),
    { minShareCount: 2 },
  ),
];

/** words are the areas of the group "words" of a language. */
function words(language) {
  return new RegExp(`/src/i18n/${language}/(${smallAreas.join('|')})\\.`);
}
