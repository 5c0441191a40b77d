import type { RecordModel } from 'pocketbase'
import type { ComponentChildren } from 'preact'
import { pb } from '../../data/client.ts'
import { user_settings as userSettings } from '../../data/collections.ts'
import { findCurrency } from '../../data/country-currency.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { UserSettings } from '../../data/record-types.ts'
import { hasTeamRole, type Session, session } from '../../data/session.ts'
import { HERE, listTimeZones } from '../../data/time-zones.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { listCountryChoices } from '../../parts/form/country-field.tsx'
import { JumpMenu } from '../../parts/list/jump-menu.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { makeDestinationsRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { LanguageSwitch } from '../../shell/language-switch.tsx'
import { Look } from './look.tsx'
import { Notifications } from './notifications.tsx'
import { RetentionCard } from './retention.tsx'
import { SecondFactor } from './second-factor.tsx'
import { LineChoice, QuietHours } from './sending-cards.tsx'
import { Sessions } from './sessions.tsx'
import { EmailCard, PasswordCard } from './sign-in-cards.tsx'
import { UndoChoice } from './undo-choice.tsx'

export function Page() {
  const mine = session.value
  if (!mine) return null
  if (hasTeamRole('viewer') && !hasTeamRole('owner'))
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
        <Section title={t('You')}>
          <LanguageCard />
          {!mine.isVisit && <Notifications session={mine} />}
          {!mine.isVisit && hasTeamRole('agent') && <UndoChoice session={mine} />}
        </Section>
        {hasTeamRole('admin') && (
          <Section title={t('Settings of the account')}>
            <Look />
            <QuietHours />
            <LineChoice />
            <RetentionCard />
          </Section>
        )}
      </Frame>
    )
  const hasAccount = mine.role === 'user' && hasTeamRole('owner')
  return (
    <Frame title={t('Account')} text={describeAccount(mine)}>
      <JumpMenu />
      <Section title={hasAccount ? t('You') : ''}>
        {/* both columns are about as high, with an account of one's own and without */}
        <div class="columns">
          <div class="stack">
            {mine.role === 'user' && <NameCard user={mine.record} />}
            <EmailCard session={mine} />
            <LanguageCard />
            {hasAccount && <UndoChoice session={mine} />}
          </div>
          <div class="stack">
            <PasswordCard session={mine} />
            <SecondFactor session={mine} />
            {hasAccount && <Notifications session={mine} />}
          </div>
        </div>
        <Sessions />
      </Section>
      {hasAccount && (
        <Section title={t('Settings of the account')}>
          <div class="columns">
            <div class="stack">
              <Settings />
              <RetentionCard />
            </div>
            <div class="stack">
              <QuietHours />
              <LineChoice />
              <Look />
            </div>
          </div>
        </Section>
      )}
    </Frame>
  )
}

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="stack">
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

function describeAccount({ role, team }: Session): string | undefined {
  if (role === 'superuser') return t('You are a superuser of this server.')
  if (team !== 'none') return undefined
  return t(
    'This is your sign-in. You have no account of your own: choose a team at the top of the navigation.',
  )
}

function NameCard({ user }: { user: RecordModel }) {
  const save = async ({ name }: { name?: unknown }) => {
    await pb.collection('users').update(user.id, { name })
    return t('Saved')
  }
  const rows = [{ name: 'name', label: t('Name'), autocomplete: 'name' }]
  return (
    <Card title={t('Your name')}>
      <RowsForm draftKey="profile" rows={rows} save={save} asks stored={{ name: user.name }} />
    </Card>
  )
}

function Settings() {
  const saved = ownSettings.value?.time_zone
  const zone = saved || HERE
  const country = defaultCountry.value
  const example = findCurrency(country)
  const {
    account_name = '',
    currency = '',
    destinations = '',
    short_codes = false,
    opt_out_languages = [],
  } = ownSettings.value ?? {}
  const save = async (_: object, typed: Partial<UserSettings>) => {
    await saveOwnSettings(typed)
    return t('Saved')
  }
  const rows: readonly FormRow[] = [
    {
      name: 'account_name',
      label: t('Name of the account'),
      placeholder: session.value?.record.name,
      hint: t('On public pages, in invitations and in answers to HELP. Empty: your own name.'),
    },
    {
      name: 'time_zone',
      label: t('Time zone'),
      kind: 'select',
      choices: listTimeZones(zone, HERE),
      hint: saved ? undefined : t('As your browser is set. Save to keep it.'),
    },
    {
      name: 'country',
      label: t('Default country'),
      kind: 'select',
      choices: listCountryChoices(country),
      hint: t('Phone numbers without a country code are numbers of this country.'),
    },
    {
      name: 'currency',
      label: t('Currency'),
      placeholder: example,
      hint: t(
        'Three letters, such as {currency}. The prices and budgets of your lines are in this currency.',
        { currency: example },
      ),
      write: (typed) => String(typed).trim().toUpperCase(),
    },
    makeDestinationsRow(),
    {
      name: 'short_codes',
      kind: 'check',
      label: t('May send to short codes (3 to 6 digits, which may cost more)'),
    },
    {
      name: 'opt_out_languages',
      label: t('Opt-out words of other languages'),
      kind: 'checks',
      choices: listLanguageChoices(),
      hint: t('Who answers with such a word gets no more texts from you. STOP always counts.'),
    },
  ]
  if (ownSettings.value === undefined) return <Loading />
  const stored = {
    account_name,
    time_zone: zone,
    country,
    currency,
    destinations,
    short_codes,
    opt_out_languages,
  }
  return (
    <Card title={t('General')}>
      <RowsForm draftKey="account-settings" rows={rows} save={save} asks stored={stored} />
    </Card>
  )
}

const listLanguageChoices = () => {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  return userSettings.opt_out_languages.values.map(
    (code) => [code, names.of(code) ?? code] as const,
  )
}

const LanguageCard = () => (
  <Card title={t('Language')}>
    <LanguageSwitch />
    <p class="note">
      {t('Applies to this browser and to your mails. The browser shows times in its time zone.')}
    </p>
  </Card>
)
