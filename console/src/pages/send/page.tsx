import { useEffect, useState } from 'preact/hooks'
import { E164 } from '#portable/phone/e164.ts'
import { loadSharedFiles } from '../../data/files/shared-files.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import { readNumbers } from '../../data/phone/number-list.ts'
import type { Campaign, Device } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { listFiles } from '../../data/use/chosen-files.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import { ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { Compose } from './compose.tsx'
import { BLANK, type Composition, copyCampaign, type Recipient } from './composition.ts'
import './page.css'
import { Sent } from './sent.tsx'

const MOST_DEVICES = 200

/**
 * The form that sends texts, or the progress of a send (`?batch=`, `?message=`). Links from other pages fill
 * the form: `?to=` (numbers), `?group=`, `?template=`, `?text=`, or `?campaign=` (the content of a campaign).
 * `?new=campaign` is the form of a campaign. `?shared=` has the files that another app has shared.
 */
export function Page({ query }: PageProps) {
  const [batch, message] = [query.get('batch') ?? '', query.get('message') ?? '']
  return batch || message ? (
    <Sent key={batch + message} batch={batch} message={message} />
  ) : (
    <Write query={query} />
  )
}

function Write({ query }: { query: URLSearchParams }) {
  const devices = useList<Device>('devices', { sort: 'name', perPage: MOST_DEVICES })
  const { items, loading, fault } = devices
  const isCampaign = isForCampaign(query)
  return (
    <Frame
      title={isCampaign ? t('New campaign') : t('Send')}
      back={isCampaign ? { href: makePageHref('/campaigns'), words: t('Campaigns') } : undefined}
      actions={
        items.length > 0 &&
        !isCampaign && (
          <ButtonLink icon="upload" href={makePageHref('/send/list')}>
            {t('Send to a list')}
          </ButtonLink>
        )
      }
    >
      {loading && <Loading />}
      <FaultNotice fault={fault} retry={devices.reload} />
      {!loading && !fault && items.length === 0 && (
        <>
          <NoDevice />
          <FirstSteps />
        </>
      )}
      {items.length > 0 && <Begin key={query.toString()} query={query} devices={items} />}
    </Frame>
  )
}

const isForCampaign = (query: URLSearchParams) =>
  hasTeamRole('admin') && (query.has('new') || query.has('campaign'))

interface Begun {
  readonly draftKey: string
  readonly devices: readonly Device[]
}

function Begin({ query, devices }: { query: URLSearchParams; devices: readonly Device[] }) {
  const campaign = query.get('campaign') ?? ''
  const begun = { draftKey: `send?${query}`, devices }
  if (campaign) return <Copied id={campaign} {...begun} />
  if (query.has('shared')) return <Shared query={query} {...begun} />
  return <Compose {...begun} initial={makeInitial(query)} />
}

function Shared({ query, ...begun }: Begun & { query: URLSearchParams }) {
  const [files, setFiles] = useState<readonly File[]>()
  useEffect(() => void loadSharedFiles().then(setFiles), [])
  if (!files) return <Loading />
  return <Compose {...begun} initial={makeInitial(query)} initialFiles={files} />
}

function Copied({ id, ...begun }: Begun & { id: string }) {
  const read = useRecord<Campaign>('campaigns', id)
  if (read.record)
    return (
      <Compose
        {...begun}
        initial={{ ...copyCampaign(read.record), isCampaign: hasTeamRole('admin') }}
        initialFiles={copyFiles(read.record)}
      />
    )
  return (
    <Missing
      read={read}
      icon="campaigns"
      gone={t('There is no such campaign')}
      all={[makePageHref('/campaigns'), t('All campaigns')]}
    />
  )
}

/** A template brings its own files. */
const copyFiles = (campaign: Campaign) =>
  campaign.template ? [] : listFiles(campaign, campaign.attachments)

const NoDevice = () => (
  <Empty
    icon="devices"
    title={t('No device to send with yet')}
    action={
      <ButtonLink kind="primary" icon="plus" needs="admin" href={makePageHref('/devices')}>
        {t('Add a device')}
      </ButtonLink>
    }
  >
    {t(
      'Texts go out through a phone or a modem of yours. Add one first; a simulated phone will do to try it out.',
    )}
  </Empty>
)

/** The recipients in `?to=`. E.164 numbers are not checked further: programs may have stored unusual ones. */
const readRecipients = (text: string): Recipient[] =>
  readNumbers(text, defaultCountry.value).map((recipient) =>
    E164.test(recipient.phone) ? { phone: recipient.phone, name: '' } : recipient,
  )

function makeInitial(query: URLSearchParams): Composition {
  const [group, template] = [query.get('group') ?? '', query.get('template') ?? '']
  return {
    ...BLANK,
    isCampaign: isForCampaign(query),
    recipients: readRecipients(query.get('to') ?? ''),
    groups: group ? [group] : [],
    kind: template ? 'template' : 'text',
    text: query.get('text') ?? '',
    template,
  }
}
