import { type Signal, signal } from '@preact/signals'
import type { RecordModel } from 'pocketbase'
import { postRequest } from '../../data/client.ts'
import { isDeleting } from '../../data/deletions.ts'
import { renewSession } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { confirmAndRevoke } from '../../parts/dialog/confirm-and-revoke.ts'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { CheckList } from '../../parts/form/choices.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Reading } from '../../parts/page.tsx'
import { Badge, formatDay, Time } from '../../parts/time.tsx'

interface OpenSession {
  readonly id: string
  readonly created: string
  readonly used_at: string
  readonly method: keyof typeof METHODS | ''
  /** The member who acts for the account in this session. */
  readonly person: string
  readonly ip: string
  readonly user_agent: string
  readonly current: boolean
}

const METHODS = {
  password: t('Password'),
  otp: t('Code by email or text'),
  totp: t('Code of the app'),
  recovery: t('Recovery code'),
  oauth2: t('Account at a provider'),
  passkey: t('Passkey'),
  'act-for': t('Acts for you'),
} as const

/** An account at a provider that signs in. */
interface ProviderLink {
  readonly id: string
  readonly provider: string
  readonly created: string
}

interface Listed {
  readonly items: readonly OpenSession[]
  readonly links: readonly ProviderLink[]
}

export function Sessions() {
  const { value, fault, reload } = useAnswer<Listed>('/api/account/sessions')
  const { items = [], links = [] } = value ?? {}
  return (
    <Card
      title={t('Where you are signed in')}
      actions={
        items.length + links.length > 1 && (
          <Button onClick={() => void endOtherSessions(links, reload)}>
            {t('Sign out everywhere else')}
          </Button>
        )
      }
    >
      <Reading value={value} fault={fault} />
      {value && <Table caption={t('Sessions')} columns={makeSessionColumns(reload)} rows={items} />}
      {links.length > 0 && (
        <>
          <p>{t('These accounts at providers sign in to yours, also after a new password:')}</p>
          <Table caption={t('Accounts at providers')} columns={LINK_COLUMNS} rows={links} />
        </>
      )}
    </Card>
  )
}

const makeSessionColumns = (reload: () => Promise<void>): readonly Column<OpenSession>[] => [
  {
    title: t('Browser or program'),
    cell: ({ id, user_agent, person, current }) => {
      const program = <span title={user_agent}>{describeProgram(user_agent)}</span>
      return (
        <>
          {person ? tx('{name}: {text}', { name: person, text: program }) : program}{' '}
          {current && <Badge tone="good">{t('This one')}</Badge>}
          {isBeingEnded(id) && <Badge tone="calm">{t('Being ended')}</Badge>}
        </>
      )
    },
  },
  { title: t('Signed in by'), minor: true, cell: ({ method }) => METHODS[method as 'otp'] ?? '–' },
  { title: t('Address'), cell: ({ ip }) => ip || '–' },
  { title: t('Signed in'), minor: true, cell: ({ created }) => <Time at={created} /> },
  { title: t('Last active'), cell: ({ used_at }) => <Time at={used_at} /> },
  makeActionsColumn((one) =>
    one.current || one.method === 'act-for' || isBeingEnded(one.id)
      ? []
      : [{ words: t('End session'), onClick: () => void endOneSession(one, reload) }],
  ),
]

const makePath = (id: string) => `/api/account/sessions/${id}`
const isBeingEnded = (id: string) => isDeleting(makePath(id))

const endOneSession = ({ id, user_agent }: OpenSession, reload: () => Promise<void>) =>
  confirmAndRevoke(
    makePath(id),
    {
      title: t('End this session?'),
      text: t(
        '{program} has to sign in again, and shows no notifications. API keys and devices go on.',
        {
          program: describeProgram(user_agent),
        },
      ),
      action: t('End session'),
    },
    t('Session ended'),
    () => void reload(),
  )

const LINK_COLUMNS: readonly Column<ProviderLink>[] = [
  { title: t('Provider'), cell: ({ provider }) => <span dir="auto">{provider}</span> },
  { title: t('Linked'), cell: ({ created }) => <Time at={created} /> },
]

/** Choices of the person in the question: links that end, and the password that ending all may need. */
interface Ending {
  readonly links: readonly string[]
  readonly password: string
}

function endOtherSessions(links: readonly ProviderLink[], reload: () => Promise<void>) {
  const ending = signal<Ending>({ links: [], password: '' })
  return runConfirmed(
    {
      title: t('Sign out everywhere else?'),
      text: (
        <>
          <p>
            {t('Every other browser and program has to sign in again. API keys and devices go on.')}
          </p>
          {links.length > 0 && <LinkChoices links={links} ending={ending} />}
        </>
      ),
      action: t('Sign out everywhere else'),
    },
    async () => {
      const path = '/api/account/end-other-sessions'
      const { links: ended, password } = ending.value
      const body = { links: ended, ...(password && { password }) }
      const { token, record } = await postRequest<{ token: string; record: RecordModel }>(
        path,
        body,
      )
      renewSession(token, record)
    },
    t('You are signed in here alone'),
    () => void reload(),
  )
}

function LinkChoices({
  links,
  ending,
}: {
  links: readonly ProviderLink[]
  ending: Signal<Ending>
}) {
  const { value } = ending
  const choices = links.map(({ id, provider, created }) => {
    const words = t('{provider}, linked on {day}', { provider, day: formatDay(created) })
    return [id, words] as const
  })
  return (
    <>
      <CheckList
        legend={t('Unlink these accounts at providers, too:')}
        name="links"
        choices={choices}
        chosen={value.links}
        onChosen={(chosen) => {
          ending.value = { ...value, links: chosen }
        }}
      />
      {value.links.length === links.length && (
        <TextField
          label={t('Your password')}
          name="password"
          type="password"
          autocomplete="current-password"
          hint={t('Needed if you signed in by a provider: without it you could not come back.')}
          value={value.password}
          onValue={(password) => {
            ending.value = { ...value, password }
          }}
        />
      )}
    </>
  )
}

/**
 * Parts of User-Agent headers, with the browser that each names. The first match counts: the header of
 * Edge, for example, also contains `Chrome/` and `Safari/`.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const MAX_SHOWN = 40

/** Describes a User-Agent header as `Firefox on Windows`; an unknown program by the header's first word. */
function describeProgram(userAgent: string): string {
  const find = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([mark]) => userAgent.includes(mark))?.[1]
  const browser = find(BROWSERS)
  if (!browser) return userAgent.split(/[\s(]/)[0]?.slice(0, MAX_SHOWN) || t('Unknown program')
  const system = find(SYSTEMS)
  return system ? t('{browser} on {system}', { browser, system }) : browser
}
