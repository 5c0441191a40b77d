import {
  isAccountRequest,
  isRequestOpen,
  makeRequestPath,
  type PersonRequest,
  REQUEST_KINDS,
  REQUEST_STATES,
} from '../data/personal-data.ts'
import { useList } from '../data/use/use-list.ts'
import { t } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import { Records } from './list/records.tsx'
import type { Column } from './list/table.tsx'
import { Card, Progress } from './page.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { StateBadge, Time } from './time.tsx'
import './person-requests.css'

/** The number of a request's person, which an erasure deletes. */
const Person = ({ request }: { request: PersonRequest }) =>
  request.number ? (
    <PhoneNumber number={request.number} />
  ) : (
    <span class="muted">
      {isAccountRequest(request)
        ? t('Whole account')
        : request.kind === 'erasure'
          ? t('Erased')
          : t('Erased later')}
    </span>
  )

/** The state of a request, with its progress while it runs. */
export function RequestState({ request }: { request: PersonRequest }) {
  if (!isRequestOpen(request) || request.state === 'waiting')
    return <StateBadge state={REQUEST_STATES[request.state]} />
  return (
    <Progress
      value={request.progress}
      max={100}
      label={t('{percent} % done', { percent: request.progress })}
    />
  )
}

const COLUMNS: readonly Column<PersonRequest>[] = [
  {
    title: t('What'),
    cell: ({ kind }) => <span class="person-requests-what">{REQUEST_KINDS[kind]}</span>,
  },
  { title: t('Person'), cell: (request) => <Person request={request} /> },
  { title: t('State'), cell: (request) => <RequestState request={request} /> },
  { title: t('Who'), minor: true, cell: ({ expand }) => expand?.asked_by?.name || '–' },
  {
    title: t('Why'),
    minor: true,
    long: true,
    spare: ({ reason }) => !reason,
    cell: ({ reason }) => reason || '–',
  },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
]

/** A card with the exports and erasures that `filter` finds, the newest first. */
export function PersonRequests({ filter = '', none }: { filter?: string; none: string }) {
  const requests = useList<PersonRequest>('person_requests', {
    filter,
    sort: '-created,-@rowid',
    expand: 'asked_by',
    perPage: 20,
  })
  return (
    <Card title={t('Earlier requests')}>
      <Records
        list={requests}
        caption={t('Earlier requests')}
        columns={COLUMNS}
        href={({ id }) => makePageHref(makeRequestPath(id))}
        empty={<p class="muted">{none}</p>}
      />
    </Card>
  )
}
