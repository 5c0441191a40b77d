import './page.css'
import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { User } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { useLive } from '../../data/use/use-live.ts'
import type { PageProps } from '../../pages.ts'
import { Button } from '../../parts/form/button.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { EditUser } from './edit-user.tsx'
import { isDisabled } from './is-disabled.ts'
import { NewUser } from './new-user.tsx'
import { useMonth } from './use-month.ts'

/** Who may send, and how much. */
export function Page({ query }: PageProps) {
  const [search, setSearch] = useState(query.get('search') ?? '')
  const [state, setState] = useState<State>('')
  const filter = filterOf(search, state)
  const users = useList<User>('users', { filter, sort: 'email', expand: 'user_settings_via_user' })
  const reload = () => void users.reload()
  useLive('user_settings', '*', reload, reload)
  const used = useMonth(users.items)
  const [isMaking, setMaking] = useState(false)
  const [edited, setEdited] = useState<User>()
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New user
    </Button>
  )
  const columns: readonly Column<User>[] = [
    { title: 'Email', cell: (user) => user.email },
    { title: 'Name', cell: (user) => user.name || '–' },
    { title: 'This month', align: 'end', cell: (user) => (used.get(user.id) ?? 0).toLocaleString() },
    { title: 'Quota', align: 'end', cell: ({ monthly_quota }) => quotaText(monthly_quota) },
    {
      title: 'State',
      cell: (user) => (
        <Badge tone={isDisabled(user) ? 'bad' : 'good'}>{isDisabled(user) ? 'Disabled' : 'Active'}</Badge>
      ),
    },
    {
      title: 'Email confirmed',
      cell: ({ verified }) => <Badge tone={verified ? 'good' : 'warn'}>{verified ? 'Yes' : 'No'}</Badge>,
    },
    { title: 'Created', cell: (user) => <Time at={user.created} /> },
    {
      title: 'Actions',
      bare: true,
      align: 'end',
      cell: (user) => (
        <Button kind="quiet" icon="edit" onClick={() => setEdited(user)}>
          Edit<span class="unseen"> {user.email}</span>
        </Button>
      ),
    },
  ]
  const isNew = users.total === 0 && filter === ''
  return (
    <Frame
      title="Users"
      text="Each has messages, contacts and devices of their own."
      actions={!isNew && make}
    >
      {!isNew && (
        <div class="users-search">
          <TextField label="Search" name="search" type="search" value={search} onValue={setSearch} />
          <SelectField
            label="State"
            name="state"
            choices={STATES}
            value={state}
            onValue={(next) => setState(next as State)}
          />
        </div>
      )}
      <Records
        list={users}
        caption="Users"
        columns={columns}
        empty={
          isNew ? (
            <Empty icon="users" title="No users yet" action={make}>
              Superusers look after the server; users send. Make the first one: yourself, perhaps.
            </Empty>
          ) : (
            <p class="muted">No user matches this search.</p>
          )
        }
      />
      {isMaking && <NewUser onClose={() => setMaking(false)} />}
      {edited && <EditUser user={edited} onClose={() => setEdited(undefined)} />}
    </Frame>
  )
}

type State = '' | 'active' | 'disabled'

const STATES: readonly (readonly [State, words: string])[] = [
  ['', 'All'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
]

const FILTERS: Readonly<Record<State, string>> = {
  '': '',
  active: 'user_settings_via_user.disabled != true',
  disabled: 'user_settings_via_user.disabled = true',
}

function filterOf(search: string, state: State): string {
  const found = search && pb.filter('(email ~ {:search} || name ~ {:search})', { search })
  return [found, FILTERS[state]].filter(Boolean).join(' && ')
}

const quotaText = (quota: number) => (quota > 0 ? quota.toLocaleString() : "the server's")
