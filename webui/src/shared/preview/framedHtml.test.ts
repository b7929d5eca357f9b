import { describe, expect, it } from 'vitest';
import { framedHtml } from './framedHtml';

const parsed = (html: string) => new DOMParser().parseFromString(html, 'text/html');

describe('framedHtml', () => {
  it('begins with a policy that fetches nothing and runs nothing', () => {
    const first = parsed(framedHtml('<p>x</p>', false, 'n')).head.firstElementChild;
    expect(first?.getAttribute('http-equiv')).toBe('Content-Security-Policy');
    expect(first?.getAttribute('content')).toContain("default-src 'none'");
    expect(first?.getAttribute('content')).not.toContain('script-src');
  });

  it('gives the nonce to styles, and to scripts only when they may run', () => {
    const source = '<style>p{}</style><script>1</script>';
    const still = parsed(framedHtml(source, false, 'n1'));
    expect(still.querySelector('style')?.getAttribute('nonce')).toBe('n1');
    expect(still.querySelector('script')?.getAttribute('nonce')).toBeNull();
    const running = parsed(framedHtml(source, true, 'n1'));
    expect(running.querySelector('script')?.getAttribute('nonce')).toBe('n1');
  });

  it('takes out what would change the policy or the address', () => {
    const html = framedHtml(
      '<meta http-equiv="Content-Security-Policy" content="script-src *"><base href="https://evil.example">' +
        '<meta http-equiv=refresh content="0;url=https://evil.example">',
      false,
      '',
    );
    expect(parsed(html).querySelectorAll('meta[http-equiv]')).toHaveLength(1);
    expect(parsed(html).querySelector('base')).toBeNull();
  });
});
