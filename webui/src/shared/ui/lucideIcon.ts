import { createElement, type ReactNode, type SVGProps } from 'react';

/** What an icon module of lucide-react holds. */
interface IconData {
  size: number;
  node: [tag: string, attributes: Record<string, string>][];
}

/**
 * lucideIcon makes the component of an icon. The build puts it in place of lucide-react's own factory, whose
 * context, aliases and stroke corrections this app does not use and every visitor would load.
 */
export default function lucideIcon({ size: grid, node }: IconData) {
  return function Icon({
    size = grid,
    ...rest
  }: SVGProps<SVGSVGElement> & { size?: number | string }): ReactNode {
    return createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: size,
        height: size,
        viewBox: `0 0 ${grid} ${grid}`,
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        ...rest,
      },
      node.map(([tag, attributes]) => createElement(tag, attributes)),
    );
  };
}
