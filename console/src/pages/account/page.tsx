import type { RecordModel } from 'pocketbase'
import { pb } from '../../data/client.ts'
import { user_settings as userSettings } from '../../data/collections.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { UserSettings } from '../../data/record-types.ts'
import { may, type Session, session } from '../../data/session.ts'
import { HERE, timeZones } from '../../data/time-zones.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { countryChoices } from '../../parts/form/country-field.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { destinationsRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { LanguageSwitch } from '../../shell/language-switch.tsx'
import { EmailCard } from './email.tsx'
import { LineChoice } from './line-choice.tsx'
import { Notifications } from './notifications.tsx'
import { PasswordCard } from './password.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { RetentionCard } from './retention.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const mine = session.value
  if (!mine) return null
  if (may('viewer') && !may('owner'))
    return (
      <Frame
        title={t('Account')}
        text={
          !mine.isVisit &&
          t(
            'Your email, password and sessions are under your own name, which you choose at the top of the navigation.',
          )
        }
      >
        <LanguageCard />
        {may('admin') && <QuietHours />}
        {may('admin') && <LineChoice />}
        {may('admin') && <RetentionCard />}
        {!mine.isVisit && <Notifications user={mine.person.id} />}
      </Frame>
    )
  const hasAccount = mine.role === 'user' && may('owner')
  const small = (
    <>
      <EmailCard session={mine} />
      <LanguageCard />
    </>
  )
  return (
    <Frame title={t('Account')} text={textOf(mine)}>
      {/* both columns are about as high, with an account of one's own and without */}
      <div class="columns">
        <div class="stack">
          {mine.role === 'user' && <Profile user={mine.record} />}
          {hasAccount && <QuietHours />}
          {hasAccount && <LineChoice />}
          {!hasAccount && small}
        </div>
        <div class="stack">
          {hasAccount && small}
          <PasswordCard session={mine} />
          <SecondFactor session={mine} />
          {hasAccount && <Notifications user={mine.record.id} />}
          {hasAccount && <RetentionCard />}
        </div>
      </div>
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

/** Edits the user's name; for owners also settings of the account, such as its time zone. */
function Profile({ user }: { user: RecordModel }) {
  const hasAccount = may('owner')
  const saved = ownSettings.value?.time_zone
  const zone = saved || HERE
  const country = defaultCountry.value
  const {
    currency = '',
    destinations = '',
    short_codes = false,
    opt_out_languages = [],
  } = ownSettings.value ?? {}
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
    {
      ...{ name: 'currency', label: t('Currency'), placeholder: 'EUR', shown: () => hasAccount },
      hint: t('Of the prices and budgets of your lines: three letters, such as EUR.'),
      write: (typed) => String(typed).trim().toUpperCase(),
    },
    { ...destinationsRow(), shown: () => hasAccount },
    {
      ...{ name: 'short_codes', kind: 'check', shown: () => hasAccount },
      label: t('May send to short codes (3 to 6 digits, which may cost more)'),
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
        stored={{
          name: user.name,
          time_zone: zone,
          country,
          currency,
          destinations,
          short_codes,
          opt_out_languages,
        }}
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
    <p class="note">{t('Applies to this browser. Times are shown in its time zone.')}</p>
  </Card>
)
