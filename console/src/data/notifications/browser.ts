import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { rememberSignal } from '../remembered.ts'

/** The user whose notifications this browser shows, and the browser's push subscription. */
interface Choice {
  /** The user's id; '' while notifications are off. */
  readonly user: string
  /** The push subscription's endpoint; '' if the browser has no push service and the tabs notify instead. */
  readonly endpoint: string
}

const OFF: Choice = { user: '', endpoint: '' }

export const notifications = rememberSignal<Choice>('notifications', OFF)

/** Whether this browser can show notifications. It can only on pages with https or on localhost. */
export const canNotify = (): boolean =>
  isSecureContext && 'Notification' in window && 'serviceWorker' in navigator

const PATH = '/api/account/push'

export async function startNotifications(user: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error(
      t(
        'Your browser does not let this page show notifications. Allow them in its settings for this page.',
      ),
    )
  const endpoint = await subscribeToPush()
  notifications.value = { user, endpoint }
}

/**
 * Turns notifications off in this browser, even if the server cannot be reached. Sends the request
 * immediately, because a sign-out drops the token next.
 */
export function stopNotifications(): void {
  const { user, endpoint } = notifications.value
  if (user === '') return
  notifications.value = OFF
  if (endpoint !== '') void pb.send(PATH, { method: 'DELETE', query: { endpoint } }).catch(() => {})
  void unsubscribeFromPush().catch(() => {})
}

export async function stopInAllBrowsers(): Promise<void> {
  await pb.send(PATH, { method: 'DELETE' })
  stopNotifications()
}

/**
 * Sends the push subscription to the server again: browsers replace it, and the server may have deleted it.
 * Turns notifications off if another user turned them on, or if the browser forbids them.
 */
export async function renewNotifications(user: string): Promise<void> {
  const { user: chosen, endpoint } = notifications.value
  if (chosen === '') return
  if (chosen !== user || !canNotify() || Notification.permission !== 'granted') {
    notifications.value = OFF
    if (canNotify()) await unsubscribeFromPush()
  } else if (endpoint !== '') notifications.value = { user, endpoint: await subscribeToPush() }
}

/** Subscribes at the push service and tells the server. Returns the endpoint; '' without a push service. */
async function subscribeToPush(): Promise<string> {
  await navigator.serviceWorker.register('./sw.js', { scope: './' })
  const { pushManager } = await navigator.serviceWorker.ready
  if (!pushManager) return ''
  const { key } = await pb.send<{ key: string }>('/api/account/push-key', {})
  const options = { userVisibleOnly: true, applicationServerKey: key }
  const subscription = await pushManager.subscribe(options).catch(async (error: DOMException) => {
    if (error.name !== 'InvalidStateError') return undefined // no push service
    // a subscription with another server key exists, for example from an earlier database of the server
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(options)
  })
  if (!subscription) return ''
  await pb.send(PATH, { method: 'PUT', body: subscription.toJSON() })
  return subscription.endpoint
}

async function unsubscribeFromPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('./')
  await (await registration?.pushManager?.getSubscription())?.unsubscribe()
}
