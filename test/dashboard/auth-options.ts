import {
  type DashboardFixture,
  flip,
  form,
  named,
  popup,
  press,
  same,
  succeeded,
  total,
  visitCollection,
} from './dashboard-fixture.ts'

const field = (fixture: DashboardFixture, name: string) => named(fixture, form(fixture), name)
const toggle = (fixture: DashboardFixture, name: string) => flip(fixture, form(fixture), name)

async function openOptions(fixture: DashboardFixture, name: string): Promise<void> {
  await visitCollection(fixture, name)
  await fixture.page.locator('.btn-collection-settings').click()
  await fixture.settled()
  await form(fixture).locator('.tab-item[data-tab=Options]').click()
}

async function save(fixture: DashboardFixture): Promise<void> {
  await press(form(fixture), 'Save changes')
  await succeeded(fixture, 'Successfully updated collection')
}

/**
 * Options of users: a token's duration that is refused, OTP and MFA on, durations; all of it shown again,
 * then undone.
 */
export async function authOptions(fixture: DashboardFixture): Promise<void> {
  await openOptions(fixture, 'users')
  await fixture.shot('auth-options')
  await (await field(fixture, 'authToken.duration')).fill('5')
  await fixture.refused(/^PATCH \/api\/collections\/_pb_users_auth_: 400 .*"authToken":\{"duration"/, () =>
    press(form(fixture), 'Save changes'),
  )
  await form(fixture).locator('.field-help.error').first().waitFor()
  await fixture.shot('auth-options-refused')
  await (await field(fixture, 'authToken.duration')).fill('3600')
  await toggle(fixture, 'otp.enabled')
  await (await field(fixture, 'otp.length')).fill('6')
  await toggle(fixture, 'mfa.enabled')
  await save(fixture)
  await openOptions(fixture, 'users')
  same(await (await field(fixture, 'authToken.duration')).inputValue(), '3600', 'the duration that was saved')
  same(await (await field(fixture, 'otp.length')).inputValue(), '6', 'the length that was saved')
  same(await (await field(fixture, 'mfa.enabled')).isChecked(), true, 'MFA is on')
  await toggle(fixture, 'mfa.enabled')
  await toggle(fixture, 'otp.enabled')
  await field(fixture, 'authToken.duration')
  await form(fixture).getByText('Invalidate all previously issued tokens').first().click()
  await save(fixture)
}

/** Superusers: another one is made, changes the password and goes. */
export async function superusers(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visitCollection(fixture, '_superusers')
  await page.locator('.new-record-btn').click()
  await (await field(fixture, 'email')).fill('second@example.com')
  await (await field(fixture, 'password')).fill('secondpass123')
  await (await field(fixture, 'passwordConfirm')).fill('secondpass123')
  await fixture.shot('superuser')
  await press(form(fixture), 'Create')
  await succeeded(fixture, 'Successfully created _superusers')
  same(await total(fixture), 2, 'superusers')
  const row = page.locator('.records-table tr.handle', { hasText: 'second@example.com' })
  await row.locator('.col-bulk-select label').click()
  await page.locator('.btn.outline.danger', { hasText: 'Delete' }).click()
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, 'Successfully deleted 1 record')
  same(await total(fixture), 1, 'superusers in the end')
}
