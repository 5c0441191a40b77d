import { useState } from 'preact/hooks'
import type { Choices } from '../../data/choices.ts'
import { matchAny, pb } from '../../data/client.ts'
import type { RecordOf, User } from '../../data/record-types.ts'
import { splitWords, writeWordsFilter } from '../../data/search/words.ts'
import { actForAccount } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { useLive } from '../../data/use/use-live.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Segments } from '../../parts/form/choices.tsx'
import { makeActionsColumn } from '../../parts/list/actions-column.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { showToast, showToastFault } from '../../parts/toast.tsx'
import type { PageProps } from '../../router.ts'
import { EditUser } from './edit-user.tsx'
import { isUserDisabled, makeUserRecord, makeUserRows } from './user-rows.ts'
import './page.css'

export function Page({ query }: PageProps) {
  const [search, setSearch] = useState(query.get('search') ?? '')
  const [state, setState] = useState<State>('')
  const filter = makeFilter(search, state)
  const users = useList<User>('users', { filter, sort: 'email', expand: 'user_settings_via_user' })
  const reload = () => void users.reload()
  useLive('user_settings', '*', reload, reload)
  const used = useMonth(users.items)
  const columns = (edit: (user: User) => void): readonly Column<User>[] => [
    { title: t('Email'), cell: (user) => user.email },
    { title: t('Name'), cell: (user) => user.name || '–' },
    {
      title: t('Texts this month'),
      align: 'end',
      cell: (user) => formatNumber(used.get(user.id) ?? 0),
    },
    {
      title: t('Quota'),
      align: 'end',
      minor: true,
      cell: ({ monthly_quota }) => formatQuota(monthly_quota),
    },
    {
      title: t('State'),
      cell: (user) => (
        <Badge tone={isUserDisabled(user) ? 'bad' : 'good'}>
          {isUserDisabled(user) ? t('Disabled') : user.member_only ? t('Member only') : t('Active')}
        </Badge>
      ),
    },
    {
      title: t('Email confirmed'),
      minor: true,
      cell: ({ verified }) => (
        <Badge tone={verified ? 'good' : 'warn'}>{verified ? t('Yes') : t('No')}</Badge>
      ),
    },
    { title: t('Created'), minor: true, cell: (user) => <Time at={user.created} /> },
    makeActionsColumn((user) => [
      ...(user.member_only || isUserDisabled(user)
        ? []
        : [
            {
              icon: 'conversations' as const,
              words: t('See the account of {name}', { name: user.email }),
              onClick: () => actForAccount(user.id).catch(showToastFault),
            },
          ]),
      { icon: 'edit', words: t('Change {name}', { name: user.email }), onClick: () => edit(user) },
    ]),
  ]
  const isNew = users.total === 0 && filter === ''
  return (
    <ListPage
      title={t('Users')}
      text={t(
        'Each user has their own messages, contacts and devices. Users who are only team members have none.',
      )}
      list={users}
      columns={columns}
      icon="users"
      none={
        isNew
          ? [
              t('No users yet'),
              t(
                'Superusers look after the server; users send. Create the first one: yourself, perhaps.',
              ),
            ]
          : [t('No user found'), t('No user matches this search.')]
      }
      add={t('New user')}
      dialog={(user, close) =>
        user ? <EditUser user={user} onClose={close} /> : <NewUser onClose={close} />
      }
    >
      {!isNew && (
        <search class="row">
          <SearchField label={t('Name or email')} value={search} onValue={setSearch} />
          <Segments legend={t('State')} choices={STATES} chosen={state} onChoose={setState} />
        </search>
      )}
    </ListPage>
  )
}

type State = '' | 'active' | 'disabled'

const STATES: Choices<State> = [
  ['', t('All#users')],
  ['active', t('Active#users')],
  ['disabled', t('Disabled#users')],
]

const FILTERS: Readonly<Record<State, string>> = {
  '': '',
  active: 'user_settings_via_user.disabled != true',
  disabled: 'user_settings_via_user.disabled = true',
}

function makeFilter(search: string, state: State): string {
  const found = writeWordsFilter(splitWords(search), ['email', 'name'])
  return [found, FILTERS[state]].filter(Boolean).join(' && ')
}

const formatQuota = (quota: number) => (quota > 0 ? formatNumber(quota) : t('Default'))

const ROWS = makeUserRows(
  t('At least 8 characters. They can change it later on their page Account.'),
)

const NewUser = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New user')} onClose={onClose}>
    <RecordForm
      collection="users"
      rows={ROWS}
      blank={{ verified: true }}
      prepare={makeUserRecord}
      action={t('Create the user')}
      onSaved={({ email }) => {
        showToast(t('{email} can sign in now', { email }))
        onClose()
      }}
      onCancel={onClose}
    />
  </Dialog>
)

/** How many messages these users have sent this month, by user id. Users who sent nothing are missing. */
function useMonth(users: readonly User[]): ReadonlyMap<string, number> {
  const period = new Date().toISOString().slice(0, 7)
  const ofThese = matchAny(
    'user',
    users.map(({ id }) => id),
  )
  const { items } = useList<RecordOf<'sms_usage'>>('sms_usage', {
    filter: `${pb.filter('period = {:period}', { period })} && (${ofThese})`,
    perPage: Math.max(users.length, 1),
    ready: users.length > 0,
  })
  return new Map(items.map(({ user, used }) => [user, used]))
}
