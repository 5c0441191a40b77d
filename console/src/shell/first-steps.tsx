import { useCallback, useEffect, useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import type { Device, Message } from '../data/record-types.ts'
import { rememberForPerson } from '../data/remember-for-person.ts'
import { hasTeamRole } from '../data/session.ts'
import { useLive } from '../data/use/use-live.ts'
import { t, tx } from '../language/words.ts'
import { Button } from '../parts/form/form.tsx'
import { Card } from '../parts/page.tsx'
import { makePageHref } from '../router.ts'
import { Step } from './step.tsx'

interface Reached {
  readonly device: string
  readonly sent: boolean
  readonly delivered: boolean
  readonly replied: boolean
}

/** The id of one record that the filter finds; '' if it finds none. */
async function findFirstId(collection: string, filter = ''): Promise<string> {
  const options = { filter, skipTotal: true, fields: 'id', sort: '' }
  const { items } = await pb.collection(collection).getList(1, 1, options)
  return items[0]?.id ?? ''
}

const OUTGOING = 'message_type = "outgoing"'

async function readStepsReached(): Promise<Reached> {
  const [device, sent, delivered, replied] = await Promise.all([
    findFirstId('devices'),
    findFirstId('sms_messages', OUTGOING),
    findFirstId('sms_messages', `${OUTGOING} && status = "delivered"`),
    findFirstId('sms_messages', 'message_type = "incoming"'),
  ])
  return { device, sent: sent !== '', delivered: delivered !== '', replied: replied !== '' }
}

const addReachedStep = (reached: Reached, { message_type, status }: Message): Reached =>
  message_type === 'incoming'
    ? { ...reached, replied: true }
    : { ...reached, sent: true, delivered: reached.delivered || status === 'delivered' }

const isDone = rememberForPerson('first-steps-done', false)

/** A guide to the first text. Shown until a text was received, or the user closes it. */
export function FirstSteps() {
  return isDone.value || !hasTeamRole('admin') ? null : (
    <Steps
      onDone={() => {
        isDone.value = true
      }}
    />
  )
}

function Steps({ onDone }: { onDone: () => void }) {
  const [reached, setReached] = useState<Reached>()
  const reload = useCallback(() => {
    readStepsReached().then(setReached, () => {}) // the page around the guide shows errors
  }, [])
  useEffect(reload, [reload])
  // updates the steps from events, without requests: a send to a list causes thousands of events
  useLive<Message>(
    'sms_messages',
    '*',
    ({ record }) => setReached((old) => old && addReachedStep(old, record)),
    reload,
  )
  useLive<Device>('devices', '*', reload, () => {})
  const isComplete = reached?.replied
  useEffect(() => {
    if (isComplete) onDone()
  }, [isComplete])
  if (!reached || isComplete) return null
  const { device, sent, delivered } = reached
  return (
    <Card
      title={t('First steps')}
      actions={
        delivered && (
          <Button kind="quiet" onClick={onDone}>
            {t('Done')}
          </Button>
        )
      }
    >
      <ol class="first-steps">
        <Step done>{t('Your account is ready.')}</Step>
        <Step done={device !== ''}>
          {device ? (
            t('Add a phone or a modem')
          ) : (
            <a href={makePageHref('/devices')}>{t('Add a phone or a modem')}</a>
          )}
          . {t('A simulated phone will do to try it out.')}
        </Step>
        <Step done={sent}>
          {tx('{link} to your own number.', {
            link:
              device && !sent ? (
                <a href={makePageHref(`/devices/${device}`)}>{t('Send a test text')}</a>
              ) : (
                t('Send a test text')
              ),
          })}
        </Step>
        <Step done={delivered}>{t('Wait until it is delivered.')}</Step>
        <Step done={false}>
          {tx('Answer it from that phone. The answer appears in {link}.', {
            link: <a href={makePageHref('/conversations')}>{t('Conversations')}</a>,
          })}
        </Step>
      </ol>
    </Card>
  )
}
