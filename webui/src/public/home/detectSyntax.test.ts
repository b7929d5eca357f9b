import { expect, it } from 'vitest';
import { detectSyntax } from './detectSyntax';

it.each([
  ['# Title', true, 'markdown'],
  ['{"a": [1]}', false, 'json'],
  ['[see below]', false, 'text'],
  ['#!/usr/bin/env python3\nprint(1)', false, 'python'],
  ['#!/bin/sh\nls', false, 'bash'],
  ['<!DOCTYPE html><p>', false, 'xml'],
  ['diff --git a/x b/x', false, 'diff'],
  ['package main\n\nfunc main() {}', false, 'go'],
  ['package of tea\n', false, 'text'],
  ['just words', false, 'text'],
])('%j (Markdown: %s) is %s', (text, markdown, want) => {
  expect(detectSyntax(text, markdown)).toBe(want);
});
