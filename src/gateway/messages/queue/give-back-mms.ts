import type { Store } from '../../../engine/collections/catalog.ts'
import { type Device, saveMms } from '../../base/device-record.ts'
import { applyReports } from './apply-reports.ts'
import type { ClaimedMessage } from './claim-messages.ts'

/** The report on an MMS that a device cannot send. Its line is not the cause of a failure. */
export const CANNOT_SEND = {
  status: 'failed',
  error_message: 'This line cannot send MMS',
  not_sent: true,
  blameless: true,
} as const

/**
 * Returns the texts among messages that a device without MMS has claimed. Other lines get the MMS: a device
 * that supports no files would send their words alone.
 */
export async function giveBackMms(
  store: Store,
  device: Device,
  claimed: readonly ClaimedMessage[],
  deviceOnlineSeconds: number,
): Promise<ClaimedMessage[]> {
  const texts = claimed.filter(({ attachments }) => !attachments)
  if (texts.length === claimed.length) return texts
  const reports = claimed
    .filter(({ attachments }) => attachments)
    .map(({ id, attempt }) => ({ id, attempt, ...CANNOT_SEND }))
  await saveMms(store, device, false)
  await applyReports(store, device, reports, deviceOnlineSeconds)
  return texts
}
