import {
  countedKinds,
  isOfAccount,
  isOpen,
  type PersonRequest,
  pathOfPerson,
  REQUEST_KINDS,
  requestFault,
} from '../../data/personal-data.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { formatNumber, t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { RequestState } from '../../parts/person-requests.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { Downloads } from './downloads.tsx'

/** The progress and the result of an export or an erasure. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<PersonRequest>('person_requests', id, 'asked_by')
  const { record: request } = read
  if (!request)
    return (
      <Missing
        read={read}
        icon="person"
        title={t('Request')}
        gone={t('There is no such request')}
        all={[to('/personal-data'), t('Personal data')]}
      />
    )
  const { kind, number, state } = request
  return (
    <Frame
      title={REQUEST_KINDS[kind]}
      back={{ href: to('/personal-data'), words: t('Personal data') }}
      text={
        number ? (
          <PhoneNumber number={number} />
        ) : isOfAccount(request) ? (
          t('Whole account')
        ) : (
          t('The person was erased.')
        )
      }
      actions={
        number && (
          <ButtonLink icon="person" href={to(pathOfPerson(number))}>
            {t('All data of this person')}
          </ButtonLink>
        )
      }
    >
      <Card title={t('State')}>
        <div role="status">
          <RequestState request={request} />
        </div>
        {isOpen(request) && (
          <p class="muted">{t('The server works in the background. You can leave this page.')}</p>
        )}
        {state === 'failed' && <Notice kind="wrong">{requestFault(request.error)}</Notice>}
        {state === 'done' && kind === 'export' && <Downloads request={request} />}
        {state === 'done' && kind === 'erasure' && (
          <p>{t('The data is erased. The account sends the person no more texts.')}</p>
        )}
      </Card>
      <div class="columns">
        <Asked request={request} />
        {state === 'done' && <Counts request={request} />}
      </div>
    </Frame>
  )
}

const Asked = ({ request: { kind, expand, reason, created, done_at, hash } }: { request: PersonRequest }) => (
  <Card title={t('Request')}>
    <Facts
      facts={[
        [t('Who'), expand?.asked_by?.name || '–'],
        [t('When'), <Time at={created} />],
        reason !== '' && [t('Why'), reason],
        done_at !== '' && [t('Ended'), <Time at={done_at} />],
        kind === 'erasure' && [t('Salted hash of the number'), <span class="mono">{hash}</span>],
      ]}
    />
  </Card>
)

function Counts({ request: { kind, counts } }: { request: PersonRequest }) {
  const kinds = countedKinds(counts ?? {})
  return (
    <Card title={kind === 'export' ? t('What it contains') : t('What was erased')}>
      {kinds.length === 0 ? (
        <p class="muted">{t('There was nothing.')}</p>
      ) : (
        <Facts facts={kinds.map(([[, words], count]) => [words, formatNumber(count)] as const)} />
      )}
    </Card>
  )
}
