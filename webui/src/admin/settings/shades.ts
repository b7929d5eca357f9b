import { dark, light, type Palette } from '../../theme/tokens';

type Rgb = [number, number, number];

/** The contrast of text and ground that WCAG AA asks for, and the parts by which a colour is moved until it has it. */
const least = 4.5;
const steps = 50;

/** Shades are a colour as the two themes show it. */
interface Shades {
  light: string;
  dark: string;
}

/** isColour says whether a text is "#RRGGBB". */
export const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/**
 * shadesOf shows while a colour is chosen what the server makes of it: itself where text in it can be read on every
 * ground of a theme, else the nearest darker or lighter one (domain/settings/internal/brand, same cases in both tests).
 */
export function shadesOf(colour: string): Shades {
  return {
    light: readable(parse(colour), [0, 0, 0], light),
    dark: readable(parse(colour), [255, 255, 255], dark),
  };
}

function readable(colour: Rgb, end: Rgb, { bg, surface, wash }: Palette): string {
  const grounds = [bg, surface, wash].map(parse);
  for (let step = 0; step < steps; step++) {
    const shade = towards(colour, end, step / steps);
    if (Math.min(...grounds.map((ground) => contrast(shade, ground))) >= least) return hex(shade);
  }
  return hex(end);
}

function parse(colour: string): Rgb {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const hex = (colour: Rgb) =>
  `#${colour.map((channel) => channel.toString(16).padStart(2, '0').toUpperCase()).join('')}`;

const towards = ([r, g, b]: Rgb, end: Rgb, part: number): Rgb => [
  Math.floor(r + (end[0] - r) * part + 0.5),
  Math.floor(g + (end[1] - g) * part + 0.5),
  Math.floor(b + (end[2] - b) * part + 0.5),
];

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
