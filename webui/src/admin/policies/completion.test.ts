import { describe, expect, it } from 'vitest';
import capabilities from '../../../../policies/capabilities.json';
import { actions, functionsOf, offerAt, rulesIn, type Builtin } from './completion';

const functions = functionsOf(capabilities.builtins as Builtin[]);
const files = {
  'a.rego':
    'package pasteport.site\n\n# METADATA\n# title: Nothing at night\ndeny contains {} if _night\n\n_night if true\n\nin_list(x) if x\n',
  'a_test.rego': 'package pasteport.site_test\n\ntest_night if true\n',
  'data.json': '{}',
};
const offer = (text: string, after = '', asked = false) =>
  offerAt(text + after, text.length, files, functions, asked);
const names = (text: string, after = '', asked = false) =>
  offer(text, after, asked)?.found.map(({ label }) => label);

describe('what the editor of rules offers', () => {
  it('is what the schema of the input has there', () => {
    expect(names('\tinput.')).toEqual(['api', 'subject', 'action', 'resource', 'context']);
    expect(names('x := input.subject.g')).toEqual(['guest']);
    expect(names('count(input.subject.usage.')).toEqual(['bytes_today', 'files_today', 'bytes_stored']);
    expect(offer('input.context.client')?.from).toBe(14);
    expect(names('a\ninput.resource.s')).toEqual(['size', 'share', 'slug', 'storage']);
  });

  it('is the helpers and the rules of the site by their packages, with what is said of them', () => {
    expect(names('lib.')).toEqual(expect.arrayContaining(['under', 'weekday', 'client_in', 'writes']));
    expect(names('data.pasteport.lib.un')).toEqual(['under']);
    expect(offer('lib.und')?.found[0]).toMatchObject({ kind: 'function', about: '(path, "/")' });
    expect(names('data.')).toEqual(['pasteport', 'site']);
    expect(names('data.pasteport.')).toEqual(['lib', 'permissions', 'site']);
    expect(names('count(site.')).toEqual(['deny', '_night', 'in_list']);
    expect(rulesIn(files['a.rego'])[0]).toEqual({
      label: 'deny',
      kind: 'rule',
      about: '',
      description: 'Nothing at night',
    });
  });

  it('is rules, words and functions that may be called, with their arguments', () => {
    expect(names('\t_ni')).toEqual(['_night']);
    expect(names('\tpac')).toEqual(['package']);
    expect(names('startsw')).toEqual(['startswith']);
    expect(offer('x := time.clo')).toMatchObject({ from: 5, found: [{ label: 'time.clock' }] });
    expect(offer('net.cidr_contains')).toBeUndefined();
    expect(offer('net.cidr_con')?.found[0]?.about).toBe('(cidr, cidr_or_ip)');
    expect(names('http.se')).toBeUndefined();
  });

  it('is the names of actions in quotes beside an action', () => {
    expect(actions.length).toBeGreaterThan(60);
    expect(names('input.action == "paste.c')).toEqual(['paste.clear_expired', 'paste.create']);
    expect(names('input.action in {"file.upload", "mount.up')).toEqual(['mount.upload']);
    expect(names('input.resource.name == "pa')).toBeUndefined();
    expect(names('input.action == "paste.create"; x := "input.')).toBeUndefined();
  });

  it('is nothing for a single letter unless somebody asks', () => {
    expect(names('_')).toBeUndefined();
    expect(names('_', '', true)).toEqual(['_night']);
    expect(names('', '', true)).toContain('deny');
  });

  it.each([
    ['input.subject.guest'],
    ['input.nothing.'],
    ['input.action.'],
    ['output.'],
    ['# input.'],
    ['my_input.'],
    ['input.subject\n.'],
    [''],
    ['x := "a text'],
  ])('is nothing after %o', (text) => {
    expect(names(text)).toBeUndefined();
  });

  it('is nothing inside of a word', () => {
    expect(names('input.su', 'bject')).toBeUndefined();
  });
});
