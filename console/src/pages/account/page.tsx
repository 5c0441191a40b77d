import type { AuthMethodsList, RecordModel } from 'pocketbase'
import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { user_settings as userSettings } from '../../data/collections.ts'
import { defaultCountry } from '../../data/phone/country.ts'
import type { UserSettings } from '../../data/records.ts'
import { may, type Session, session, signOut } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { HERE, timeZones } from '../../data/time-zones.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t, tx } from '../../language/words.ts'
import { countryChoices } from '../../parts/form/country-field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { destinationsRow, hoursRows } from '../../parts/rows/common-rows.tsx'
import { type FormRow, RowsForm } from '../../parts/rows/rows-form.tsx'
import { Badge } from '../../parts/time.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { LanguageSwitch } from '../../shell/language-switch.tsx'
import { Notifications } from './notifications.tsx'
import { PasswordCard } from './password.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const mine = session.value
  if (!mine) return null
  if (may('viewer') && !may('owner'))
    return (
      <Frame
        title={t('Account')}
        text={t(
          'Your email, password and sessions are under your own name, which you choose at the top of the navigation.',
        )}
      >
        <LanguageCard />
        {may('admin') && <QuietHours />}
        <Notifications user={mine.person.id} />
      </Frame>
    )
  return (
    <Frame title={t('Account')} text={textOf(mine)}>
      <div class="columns">
        <div class="stack">
          {mine.role === 'user' && <Profile user={mine.record} />}
          {mine.role === 'user' && may('owner') && <QuietHours />}
          <EmailCard session={mine} />
          {mine.role === 'user' && may('owner') && <Notifications user={mine.record.id} />}
        </div>
        <div class="stack">
          <PasswordCard session={mine} />
          <SecondFactor session={mine} />
        </div>
      </div>
      <LanguageCard />
      <Sessions />
    </Frame>
  )
}

function textOf({ role, team }: Session): string | undefined {
  if (role === 'superuser') return t('You are a superuser of this server.')
  if (team !== 'none') return undefined
  return t(
    'This is your sign-in. You have no account of your own: choose a team at the top of the navigation.',
  )
}

/** Changes an email address. A user must confirm the new one by a mailed link, a superuser need not. */
const EmailCard = ({ session }: { session: Session }) => (
  <Card title={t('Email')}>
    <p>{tx('You sign in as {email}.', { email: <strong>{session.email}</strong> })}</p>
    {session.role === 'superuser' ? <TakeEmail session={session} /> : <RequestEmail />}
  </Card>
)

const rowsFor = (name: string, hint: string): readonly FormRow[] => [
  { name, label: t('New email'), kind: 'email', autocomplete: 'email', hint },
]
const REQUESTED = rowsFor('newEmail', t('It gets a link to confirm it.'))
const TAKEN = rowsFor('email', t('All sessions end; you sign in with it.'))

function RequestEmail() {
  const [sentTo, setSentTo] = useState('')
  const { value: setup } = useSetup()
  const ask = async (_: object, { newEmail }: { newEmail?: unknown }) => {
    await pb.collection('users').requestEmailChange(String(newEmail))
    setSentTo(String(newEmail))
    return ''
  }
  if (setup?.sends_mail === false)
    return (
      <Notice kind="warning">
        {NO_MAIL} {t('A superuser can change your address on the page Users.')}
      </Notice>
    )
  if (sentTo)
    return (
      <Notice>
        {t('A link is on its way to {sentTo}. Open it to confirm the address; until then nothing changes.', {
          sentTo,
        })}
      </Notice>
    )
  return <RowsForm draftKey="new-email" rows={REQUESTED} stored={{}} save={ask} action={t('Send the link')} />
}

function TakeEmail({ session }: { session: Session }) {
  const save = async (_: object, { email }: { email?: unknown }) => {
    await pb.collection('_superusers').update(session.record.id, { email })
    signOut()
    return t('Sign in with {email} now', { email: String(email) })
  }
  return <RowsForm draftKey="new-email" rows={TAKEN} stored={{}} save={save} action={t('Change the email')} />
}

/** Edits the user's name; for owners also settings of the account, such as its time zone. */
function Profile({ user }: { user: RecordModel }) {
  const hasAccount = may('owner')
  const saved = ownSettings.value?.time_zone
  const zone = saved || HERE
  const country = defaultCountry.value
  const { destinations = '', short_codes = false, opt_out_languages = [] } = ownSettings.value ?? {}
  const save = async ({ name }: { name?: unknown }, typed: Partial<UserSettings> & { name?: unknown }) => {
    const { name: _, ...settings } = typed
    if (name !== undefined) await pb.collection('users').update(user.id, { name })
    if (hasAccount) await saveOwnSettings(settings)
    return t('Saved')
  }
  const rows: readonly FormRow[] = [
    { name: 'name', label: t('Name'), autocomplete: 'name' },
    {
      ...{ name: 'time_zone', label: t('Time zone'), kind: 'select', shown: () => hasAccount },
      choices: timeZones(zone, HERE),
      hint: saved ? undefined : t('As your browser is set. Save to keep it.'),
    },
    {
      ...{ name: 'country', label: t('Default country'), kind: 'select', shown: () => hasAccount },
      choices: countryChoices(country),
      hint: t('Phone numbers that you write without a country belong to this one.'),
    },
    { ...destinationsRow(), shown: () => hasAccount },
    {
      ...{ name: 'short_codes', label: t('May send to short codes'), kind: 'check', shown: () => hasAccount },
      hint: t('Numbers of 3 to 6 digits, which may cost more.'),
    },
    {
      ...{ name: 'opt_out_languages', label: t('Opt-out words of other languages'), kind: 'checks' },
      ...{ choices: languageChoices(), shown: () => hasAccount },
      hint: t('Who answers with such a word gets no more texts from you. STOP always counts.'),
    },
  ]
  if (hasAccount && ownSettings.value === undefined) return <Loading />
  return (
    <Card title={t('You')}>
      <RowsForm
        {...{ draftKey: 'profile', rows, save, asks: true }}
        stored={{ name: user.name, time_zone: zone, country, destinations, short_codes, opt_out_languages }}
      />
    </Card>
  )
}

const languageChoices = () => {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  return userSettings.opt_out_languages.values.map((code) => [code, names.of(code) ?? code] as const)
}

const LanguageCard = () => (
  <Card title={t('Language')}>
    <LanguageSwitch />
    <p class="note">
      {t('Of the console in this browser. Times are shown in the time zone of the browser.')}
    </p>
  </Card>
)

function SecondFactor({ session }: { session: Session }) {
  const path = `/api/collections/${session.record.collectionName}/auth-methods`
  const { value: methods } = useAnswer<AuthMethodsList>(path)
  if (!methods) return null
  const isOn = methods.mfa.enabled
  return (
    <Card
      title={t('Second factor')}
      actions={<Badge tone={isOn ? 'good' : 'calm'}>{isOn ? t('On') : t('Off')}</Badge>}
    >
      <p>{isOn ? secondsOf(methods) : OFF[session.role]}</p>
    </Card>
  )
}

const OFF = {
  user: t('You sign in with your password alone. A superuser can ask all users for a mailed code as well.'),
  superuser: t(
    'You sign in with your password alone. The options of the collection _superusers can ask for a mailed code as well.',
  ),
} as const

function secondsOf({ otp, oauth2 }: AuthMethodsList): string {
  const names = oauth2.enabled ? oauth2.providers.map(({ displayName, name }) => displayName || name) : []
  const ways = [...(otp.enabled ? [t('a mailed code')] : []), ...names]
  return t('After your password you are asked for a second proof: {ways}.', {
    ways: new Intl.ListFormat(locale, { type: 'disjunction' }).format(ways),
  })
}

const QUIET_ROWS = hoursRows(
  { from: 'quiet_from', to: 'quiet_to', days: 'quiet_days' },
  { from: t('Quiet from'), to: t('Quiet until'), days: t('Beginning on (none: every day)') },
)
const NO_HOURS = { quiet_from: '', quiet_to: '', quiet_days: [] }

async function saveHours(_: object, hours: Partial<UserSettings>): Promise<string> {
  await saveOwnSettings(hours)
  return hours.quiet_from ? t('Quiet hours saved') : t('There are no quiet hours now')
}

/** Edits the hours in which campaigns pause, so that no advertisement arrives at night. */
function QuietHours() {
  const stored = ownSettings.value
  // wait for the stored hours: without them useDraft would drop what the user has typed but not saved
  if (stored === undefined) return <Loading />
  return (
    <Card title={t('Quiet hours')}>
      <p class="muted">
        {t(
          'Campaigns wait until they are over, and so do texts with “Wait during quiet hours”. The time is that of the recipient: of the contact if it has a time zone, else by the country code of the number; for countries with several time zones it is yours. An answer in a conversation never waits.',
        )}
      </p>
      <RowsForm
        {...{
          draftKey: 'quiet-hours',
          rows: QUIET_ROWS,
          stored: stored ?? NO_HOURS,
          save: saveHours,
          asks: true,
        }}
        action={t('Save quiet hours')}
      >
        {stored?.quiet_from && (
          <Button onClick={() => void saveHours({}, NO_HOURS).then(toast, toastFault)}>
            {t('No quiet hours')}
          </Button>
        )}
      </RowsForm>
    </Card>
  )
}
