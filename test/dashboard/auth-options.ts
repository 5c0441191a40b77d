import {
  type Desk,
  flip,
  form,
  named,
  popup,
  press,
  same,
  succeeded,
  total,
  visitCollection,
} from './desk.ts'

const field = (desk: Desk, name: string) => named(desk, form(desk), name)
const toggle = (desk: Desk, name: string) => flip(desk, form(desk), name)

async function openOptions(desk: Desk, name: string): Promise<void> {
  await visitCollection(desk, name)
  await desk.page.locator('.btn-collection-settings').click()
  await desk.settled()
  await form(desk).locator('.tab-item[data-tab=Options]').click()
}

async function save(desk: Desk): Promise<void> {
  await press(form(desk), 'Save changes')
  await succeeded(desk, 'Successfully updated collection')
}

/** Options of users: a token's duration that is refused, OTP and MFA on, durations; all of it shown again, then undone. */
export async function authOptions(desk: Desk): Promise<void> {
  await openOptions(desk, 'users')
  await desk.shot('auth-options')
  await (await field(desk, 'authToken.duration')).fill('5')
  await desk.refused(/^PATCH \/api\/collections\/_pb_users_auth_: 400 .*"authToken":\{"duration"/, () =>
    press(form(desk), 'Save changes'),
  )
  await form(desk).locator('.field-help.error').first().waitFor()
  await desk.shot('auth-options-refused')
  await (await field(desk, 'authToken.duration')).fill('3600')
  await toggle(desk, 'otp.enabled')
  await (await field(desk, 'otp.length')).fill('6')
  await toggle(desk, 'mfa.enabled')
  await save(desk)
  await openOptions(desk, 'users')
  same(await (await field(desk, 'authToken.duration')).inputValue(), '3600', 'the duration that was saved')
  same(await (await field(desk, 'otp.length')).inputValue(), '6', 'the length that was saved')
  same(await (await field(desk, 'mfa.enabled')).isChecked(), true, 'MFA is on')
  await toggle(desk, 'mfa.enabled')
  await toggle(desk, 'otp.enabled')
  await field(desk, 'authToken.duration')
  await form(desk).getByText('Invalidate all previously issued tokens').first().click()
  await save(desk)
}

/** Superusers: another one is made, changes the password and goes. */
export async function superusers(desk: Desk): Promise<void> {
  const { page } = desk
  await visitCollection(desk, '_superusers')
  await page.locator('.new-record-btn').click()
  await (await field(desk, 'email')).fill('second@example.com')
  await (await field(desk, 'password')).fill('secondpass123')
  await (await field(desk, 'passwordConfirm')).fill('secondpass123')
  await desk.shot('superuser')
  await press(form(desk), 'Create')
  await succeeded(desk, 'Successfully created _superusers')
  same(await total(desk), 2, 'superusers')
  const row = page.locator('.records-table tr.handle', { hasText: 'second@example.com' })
  await row.locator('.col-bulk-select label').click()
  await page.locator('.btn.outline.danger', { hasText: 'Delete' }).click()
  await press(popup(desk), 'Yes')
  await succeeded(desk, 'Successfully deleted 1 record')
  same(await total(desk), 1, 'superusers in the end')
}
