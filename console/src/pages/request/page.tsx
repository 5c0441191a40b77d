import { pb } from '../../data/client.ts'
import { downloadUrl } from '../../data/files/save-file.ts'
import {
  describeRequestFault,
  isAccountRequest,
  isRequestOpen,
  listCountedKinds,
  makePersonPath,
  type PersonRequest,
  REQUEST_KINDS,
} from '../../data/personal-data.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { RequestState } from '../../parts/person-requests.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { makePageHref, type PageProps } from '../../router.ts'

/** The progress and the result of an export or an erasure. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<PersonRequest>('person_requests', id, 'asked_by')
  const { record: request } = read
  if (!request)
    return (
      <Missing
        read={read}
        icon="person"
        title={t('Request#person')}
        gone={t('There is no such request')}
        all={[makePageHref('/personal-data'), t('Personal data')]}
      />
    )
  const { kind, number, state } = request
  return (
    <Frame
      title={REQUEST_KINDS[kind]}
      back={{ href: makePageHref('/personal-data'), words: t('Personal data') }}
      text={
        number ? (
          <PhoneNumber number={number} />
        ) : isAccountRequest(request) ? (
          t('Whole account')
        ) : (
          t('The person was erased.')
        )
      }
      actions={
        number && (
          <ButtonLink icon="person" href={makePageHref(makePersonPath(number))}>
            {t('All data of this person')}
          </ButtonLink>
        )
      }
    >
      <Card title={t('State')}>
        <div role="status">
          <RequestState request={request} />
        </div>
        {isRequestOpen(request) && (
          <p class="muted">{t('The server works in the background. You can leave this page.')}</p>
        )}
        {state === 'failed' && <Notice kind="wrong">{describeRequestFault(request.error)}</Notice>}
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

const Asked = ({
  request: { kind, expand, reason, created, done_at, hash },
}: {
  request: PersonRequest
}) => (
  <Card title={t('Request#person')}>
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
  const kinds = listCountedKinds(counts ?? {})
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

/** The files of an export that is done. */
function Downloads({ request }: { request: PersonRequest }) {
  const { files, expires_at } = request
  if (files.length === 0)
    return (
      <p class="muted">
        {t(
          'The files were deleted, after a day or because a person was erased. Export the data again if you need them.',
        )}
      </p>
    )
  const [json, page, ...copies] = files
  const save = (name = '') => void saveFile(request, name)
  return (
    <>
      <div class="row">
        <Button kind="primary" icon="download" onClick={() => save(page)}>
          {t('Save the readable page')}
        </Button>
        <Button icon="download" onClick={() => save(json)}>
          {t('Save as JSON')}
        </Button>
      </div>
      {copies.length > 0 && (
        <section class="stack">
          <h3>{t('Files of messages')}</h3>
          <div class="row">
            {copies.map((name) => (
              <Button key={name} kind="quiet" icon="download" onClick={() => save(name)}>
                {name}
              </Button>
            ))}
          </div>
        </section>
      )}
      <p class="muted">
        {t('Save the files before {time}.', { time: formatDateTime(expires_at) })}
      </p>
    </>
  )
}

/** Saves a file under its stored name: the readable page links to the other files by these names. */
const saveFile = (request: PersonRequest, name: string) =>
  runWithToast(async () =>
    downloadUrl(
      name,
      pb.files.getURL(request, name, { token: await pb.files.getToken(), download: true }),
    ),
  )
