import { t } from '../../language/words.ts'
import { actionsColumn } from '../../parts/list/row-actions.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Badge, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'

export interface Log {
  readonly id: string
  readonly created: string
  readonly message: string
  readonly data: {
    readonly status?: number
    /** The caller's auth collection; '' for a guest. */
    readonly auth?: string
    /** The id of the caller, if the setting logs.logAuthId is on. */
    readonly authId?: string
    readonly error?: string
  }
}

const REFUSED = 400
const SERVER_FAULT = 500
const Status = ({ data: { status = SERVER_FAULT } }: Log) => (
  <Badge tone={status >= SERVER_FAULT ? 'bad' : status >= REFUSED ? 'warn' : 'good'}>{status}</Badge>
)

export const COLUMNS: readonly Column<Log>[] = [
  {
    title: t('Request'),
    cell: ({ message, data }) => (
      <div class="breaks">
        <span class="mono">{message}</span>
        <p class="note">{data.error}</p>
      </div>
    ),
  },
  { title: t('Status'), cell: Status },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

export const askerColumn = (findEmail: (id: string) => string | undefined): Column<Log> => ({
  title: t('User'),
  cell: ({ data: { auth, authId = '' } }) => {
    const email = findEmail(authId)
    return email ? <a href={to('/users', { search: email })}>{email}</a> : auth || t('a guest')
  },
})

export const detailsColumn = (open: (log: Log) => void): Column<Log> =>
  actionsColumn((log) => [{ words: t('Details'), onClick: () => open(log) }])
