// Draws the icons of the app from public/icon.svg: node scripts/icons.mjs, whenever the mark has changed. What a system
// cuts to a shape of its own (Apple's, Android's maskable one) has the colour up to its edge and the mark within.
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { browserOptions } from './browser.mjs';

const folder = new URL('../public/', import.meta.url);
const mark = readFileSync(new URL('icon.svg', folder), 'utf8');
const browser = await chromium.launch(browserOptions);
const page = await browser.newPage();

async function draw(name, size, inset = 0) {
  const ground = inset > 0 ? '#0A6A6A' : 'transparent';
  const svg = inset > 0 ? mark.replace('rx="7.5"', '') : mark;
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0;padding:${size * inset}px;background:${ground}}svg{display:block}</style>${svg}`,
  );
  writeFileSync(new URL(`icons/${name}.png`, folder), await page.screenshot({ omitBackground: true }));
}

for (const size of [32, 96, 192, 512]) await draw(size, size);
await draw('apple-180', 180, 0.06);
await draw('maskable-512', 512, 0.1);
await browser.close();
