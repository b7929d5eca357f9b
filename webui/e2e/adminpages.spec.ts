import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, signIn, test } from './fixtures';
import { adminPassword } from './program';

const rule = `package pasteport.site

# METADATA
# title: No texts called harbour
deny contains {"code": "harbour", "message": "Not here."} if {
	input.action == "paste.create"
	input.resource.name == "harbour"
}
`;

test('a ready rule is filled in, added to the rules and passes the check', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/admin/policies?part=gallery');
  const fill = page.getByRole('button', { name: /Use: Guests may upload only pdf, png/ });
  await fill.click();
  await expect(fill).toHaveAttribute('aria-expanded', 'true');
  await page.getByLabel('Size in MB').fill('0');
  await page.getByRole('button', { name: 'Add to the rules' }).click();
  await expect(page.getByText('Enter a whole number from 1')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Size in MB').fill('5');
  await page.getByLabel('File types').fill('zip');
  await page.getByRole('button', { name: 'Add to the rules' }).click();
  const editor = page.getByLabel('Text of guest_types.rego');
  await expect(editor).toContainText('_guest_types := {"zip"}');
  await expect(editor).toContainText(/_guest_types_mib := 5(?!\d)/);
  const check = page.getByRole('button', { name: 'Check', exact: true });
  await expect(check).toBeFocused();
  await check.click();
  const report = page.getByRole('status', { name: 'Result of the check' });
  await expect(report).not.toContainText('The rules have errors');
  await expect(report.getByRole('link')).toHaveCount(0);
});

test('a rule is checked, saved, put in force, tried and taken back; the audit log tells of it', async ({
  own,
  visit,
}) => {
  // A program of its own: the others are not asked by these rules.
  const program = await own();
  const page = await visit({ origin: program.url });
  await page.goto('/admin/policies?part=rules');
  await signIn(page);
  const editor = page.getByLabel('Text of site.rego');
  // What the input has is offered, taken by Enter and put away by Escape.
  await editor.fill('');
  await editor.pressSequentially('input.sub');
  const offered = page.getByRole('listbox', { name: 'Suggestions' });
  await expect(offered.getByRole('option', { selected: true })).toContainText('subject');
  await editor.press('Enter');
  await expect(editor).toHaveText('input.subject');
  await editor.pressSequentially('.');
  await expect(offered.getByRole('option', { selected: true })).toContainText('type');
  await editor.press('ArrowDown');
  await expect(offered.getByRole('option', { selected: true })).toContainText('id');
  expect(await violations(page)).toEqual([]);
  await editor.press('Escape');
  await expect(offered).toHaveCount(0);
  // What is wrong is told while it is written, at its place.
  await editor.fill(rule.replace('input.resource.name', 'input.resource.name ==='));
  await expect(page.getByRole('status').filter({ hasText: /^site\.rego:7:/ })).toBeVisible();
  await expect(page.locator('.cm-lint-marker-error')).toHaveCount(1);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const report = page.getByRole('status', { name: 'Result of the check' });
  await expect(report).toContainText('site.rego:');
  await expect(report).toContainText('The rules have errors');
  // What is wrong takes the focus, and leads to its line.
  await expect(report.getByRole('group', { name: /problem/ })).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await report
    .getByRole('link', { name: /^site\.rego:/ })
    .first()
    .click();
  await expect(editor).toBeFocused();
  await expect(page.locator('.cm-activeLine')).toContainText('input.resource.name ===');
  await editor.fill(rule);
  // What is not saved stays while other parts are looked at, and leaving asks about it.
  await page.getByRole('radio', { name: 'Decision log' }).check();
  await page.getByRole('radio', { name: 'Rules' }).check();
  await expect(editor).toContainText('No texts called harbour');
  await expect(page.getByText('Unsaved changes')).toBeVisible();
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await page.getByRole('button', { name: 'Stay', exact: true }).click();
  await expect(page).toHaveURL(/policies/);
  // What it would change is told before it is saved.
  await page.getByRole('button', { name: 'Preview effect' }).click();
  await expect(page.getByRole('region', { name: 'Effect on recent decisions' })).toContainText(
    /Wouldn’t change|nothing to compare/,
  );
  await page.getByRole('button', { name: 'Save revision' }).click();
  const note = page.getByRole('dialog');
  await expect(note).toContainText(/Wouldn’t change|nothing to compare/);
  expect(await violations(page)).toEqual([]);
  await note.getByRole('textbox').fill('no harbour');
  await note.getByRole('button', { name: 'Save revision' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByRole('table', { name: 'Active rules' })).toContainText('No texts called harbour');

  await expect(page.getByText('Unsaved changes')).toHaveCount(0);

  await page.getByRole('radio', { name: 'Playground' }).check();
  await page.getByLabel('Action').selectOption('paste.create');
  await page.getByLabel('Caller').selectOption('admin');
  await page.getByLabel('Path').fill('/harbour');
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click();
  await expect(page.getByText('harbour Not here.')).toBeVisible();
  // The lines that the question has run are marked in the rules.
  const evaluated = page.getByRole('region', { name: 'Evaluated lines' });
  await expect(evaluated).toContainText('Lines run by this question');
  await expect(evaluated.locator('[title="Evaluated"]').first()).toBeVisible();
  expect(await violations(page)).toEqual([]);

  // A decision of the log is asked again: a key without the text permission was refused.
  const post = async (path: string, authorization: string, body: object) =>
    (await (
      await fetch(`${program.url}/api${path}`, {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as { data: { key: string } | null };
  const token = await page.evaluate(() => localStorage.getItem('admin_token'));
  const made = await post('/admin/api-keys', `Bearer ${token}`, { name: 'scanner', permissions: 2 });
  await post('/paste', `ApiKey ${made.data?.key}`, { content: 'x' });
  await page.getByRole('radio', { name: 'Decision log' }).check();
  await page.getByLabel('Action').fill('paste.create');
  await page
    .getByRole('row', { name: /paste\.create/ })
    .first()
    .getByRole('button', { name: /^Try decision/ })
    .click();
  await expect(page.getByText('Recorded question')).toBeVisible();
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click();
  await expect(page.getByText('The key lacks the permission for this action.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Ask something else' }).click();
  await expect(page.getByLabel('Caller')).toBeVisible();

  await page.getByRole('radio', { name: 'Revisions' }).check();
  await expect(page.getByRole('table', { name: 'Revisions' })).toContainText('no harbour');
  const shipped = page.getByRole('button', { name: 'Use built-in rules only' });
  await shipped.click();
  await question.getByRole('button', { name: 'Activate' }).click();
  await expect(shipped).toHaveCount(0);

  // A revision that is opened takes the place of what is not saved only when that is given up.
  await page.getByRole('radio', { name: 'Rules' }).check();
  await editor.fill('package pasteport.site');
  await page.getByRole('radio', { name: 'Revisions' }).check();
  await page.getByRole('button', { name: 'Open in the editor' }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Open in the editor' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(editor).toContainText('No texts called harbour');

  await page.goto('/admin/audit');
  await page.getByRole('searchbox').fill('policy.activate');
  const noted = page.getByRole('row').filter({ hasText: 'policy.activate' });
  await expect(noted.first()).toContainText('The administrator');
  await expect(page.getByRole('row')).toHaveCount((await noted.count()) + 1);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('entries verified')).toBeVisible();
});

test('shares are revoked, a backup is downloaded and handed back', async ({ visit }) => {
  test.setTimeout(180_000);
  const slug = freshSlug();
  await createPaste({ content: 'x', slug });
  const page = await visit({ admin: true });
  await page.goto('/admin/shares');
  await page.getByLabel('Select all').check();
  await expect(page.getByLabel(`Select ${slug}`)).toBeChecked();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(page.getByRole('button', { name: /^Revoke/ })).toHaveCount(0);
  await page.getByRole('searchbox').fill(slug);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByLabel(`Select ${slug}`).check();
  await page.getByRole('button', { name: 'Revoke (1)' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(page.getByText('1 share revoked')).toBeVisible();
  expect((await fetch(`${serverUrl()}/api/raw/${slug}`)).status).toBe(404);

  await page.goto('/admin/backup');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download a backup' }).click(),
  ]);
  const file = await download.path();
  await page.getByTestId('backup-file').setInputFiles({
    name: 'a.backup',
    mimeType: 'application/gzip',
    buffer: readFileSync(file),
  });
  const later = async () => {
    await page.getByLabel('Restart the server now').uncheck();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  };
  await later();
  await expect(page.getByText(/^The backup of .* will be restored at the next restart/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel restore' }).click();
  await expect(page.getByText(/^The backup of .* will be restored at the next restart/)).toHaveCount(0);

  // A scheduled backup: asked for now, kept on the server's disk, deleted.
  await expect(page.getByText('Scheduled backups are off.')).toBeVisible();
  await page.getByRole('button', { name: 'Back up now' }).click();
  const kept = page.getByRole('table', { name: 'Saved backups' });
  await expect(kept.getByRole('row')).toHaveCount(2, { timeout: 60_000 });
  await expect(page.getByText('Last good backup:')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await kept.getByRole('button', { name: /^Restore / }).click();
  await later();
  await expect(page.getByText(/^The backup of .* will be restored at the next restart/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel restore' }).click();
  await kept.getByRole('button', { name: /^Delete / }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(kept).toHaveCount(0);

  // A database that other servers may have open is restored by hand.
  // One that was not restored at a start is told until somebody has read it.
  let refused: object | null = { at: '2026-11-28T02:00:00Z', problem: 'unexpected EOF' };
  await page.route('**/api/admin/backup', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: object };
    await route.fulfill({
      response: answer,
      json: { ...body, data: { ...body.data, database: 'postgres', refused } },
    });
  });
  await page.reload();
  const told = page.getByRole('alert').filter({ hasText: 'A backup wasn’t restored at the start' });
  await expect(told).toContainText('unexpected EOF');
  expect(await violations(page)).toEqual([]);
  refused = null;
  await told.getByRole('button', { name: 'Dismiss' }).click();
  await expect(told).toHaveCount(0);
  await expect(page.getByText('pasteport backup restore --database-url')).toBeVisible();
  await expect(page.getByTestId('backup-file')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

/** codeOf makes the code of an authenticator app (RFC 6238). */
function codeOf(secret: string, steps = 0): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(Date.now() / 30_000) + steps));
  const sum = createHmac('sha1', key).update(new Uint8Array(counter.buffer)).digest();
  const at = (sum[19] ?? 0) & 15;
  return String((sum.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

test('a second step is set up, asked for at sign-in, and used up', async ({ own, visit }) => {
  test.setTimeout(180_000);
  // A program of its own: the others sign in without a second step meanwhile.
  const program = await own();
  const page = await visit({ origin: program.url });
  await page.goto('/admin/account');
  await signIn(page);
  const step = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Two-factor authentication' }) });
  await step.getByLabel('Current password').fill(adminPassword);
  await step.getByRole('button', { name: 'Set up' }).click();
  const secret = (await step.locator('code').innerText()).trim();
  await step.getByLabel('Authenticator code or recovery code').fill(codeOf(secret));
  await step.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('Recovery codes left: 10')).toBeVisible();
  const recovery = (await page.locator('main li').allInnerTexts()).filter((text) =>
    /^\w{5}-\w{5}$/.test(text),
  );
  expect(recovery).toHaveLength(10);

  const other = await visit({ origin: program.url });
  await other.goto('/admin/audit');
  await signIn(other);
  const code = other.getByLabel('Two-factor code');
  await code.fill('000000');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(other.getByRole('alert')).toContainText('Wrong or already used code');
  await code.fill(recovery[0] ?? '');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(other.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
});
