// Draws a text that anybody may read before the app is there, which the server lets follow (ADR 55). It stands where the
// app's own page has it; what is around it is empty so long. The app then takes it over as it is
// (shared/markdown/ahead.ts). Nothing here may import React.
import type { Paste } from './api/types';
import { config } from './config';
import { startLanguage, t } from './i18n/store';
import styles from './public/paste/paste.module.css';
import { openingView } from './public/paste/syntax';
import { copyText } from './shared/clipboard';
import document_ from './shared/markdown/document.module.css';
import { drawAhead } from './shared/markdown/drawn';
import { opensOutline, outlineWidth } from './shared/markdown/outlined';
import { prepareRender } from './shared/markdown/render';
import bar from './shared/preview/bar.module.css';
import { siteRules } from './shared/rules';
import header from './shell/Header.module.css';
import layout from './shell/Layout.module.css';

function element(name: string, className: string | undefined, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className ?? '';
  made.append(...children);
  return made;
}

async function draw(asked: Promise<Response>): Promise<void> {
  const response = await asked;
  // The app may have been here sooner, and reads the answer itself.
  if (!response.ok || response.bodyUsed) return;
  const body = (await response.clone().json()) as Partial<Paste> & { code?: number; data?: Partial<Paste> };
  const { content: text, slug, syntax, remark, requiresPassword } = body.data ?? body;
  if (!text || !slug || requiresPassword || openingView(slug, syntax, text) !== 'preview') return;
  await Promise.all([startLanguage(), prepareRender(text)]);
  const root = document.getElementById('root');
  if (!root || root.firstChild) return;

  const place = element('div', '');
  const whole = element('div', document_.document);
  if (opensOutline(text)) {
    whole.dataset.outline = 'true';
    whole.style.setProperty('--outline', `${outlineWidth()}%`);
    whole.append(element('aside', document_.side), element('div', document_.divider));
  }
  whole.append(element('article', document_.text, place));
  const tools = element('div', bar.bar);
  tools.dataset.stays = 'true';
  const main = element(
    'main',
    layout.main,
    element(
      'div',
      styles.page,
      element(
        'header',
        styles.head,
        element('h1', '', remark?.trim() || slug),
        element('div', styles.meta, element('ul', '')),
      ),
      tools,
      element('div', styles.content, whole),
    ),
  );
  main.id = 'main';
  root.append(element('header', header.header, element('div', header.bar)), main);
  await drawAhead(text, place, {
    label: (key, values) => t(`markdownView.${key}`, values),
    copy: copyText,
    holdImages: siteRules().privacy,
  });
}

// Where something fails, the app draws the text a little later.
if (config.openShare && window.pasteportEarly) draw(window.pasteportEarly.answer).catch(() => undefined);
