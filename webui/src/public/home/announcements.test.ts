import { describe, expect, it } from 'vitest';
import { dismiss, dismissed } from './announcements';

describe('announcements', () => {
  it('are remembered by their content, and only by it', async () => {
    await dismiss('We move on Friday');
    expect(await dismissed('We move on Friday')).toBe(true);
    expect(await dismissed('We move on Friday.')).toBe(false);
    expect(await dismissed('We move')).toBe(false);
  });

  it('are remembered for the last seven', async () => {
    for (let at = 0; at < 8; at++) await dismiss(`Number ${at}`);
    expect(await dismissed('Number 0')).toBe(false);
    expect(await dismissed('Number 1')).toBe(true);
  });

  it('outlive a store that holds something else', async () => {
    localStorage.setItem('pp.announcements', '{"x":1}');
    expect(await dismissed('x')).toBe(false);
  });
});
