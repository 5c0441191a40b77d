import { t, tn } from '../../language/words.ts'
import { askToConfirm } from '../dialog/dialog.tsx'

/** Asks whether the texts of a send that wait are to be canceled. */
export const confirmCancel = (waiting: number): Promise<boolean> =>
  askToConfirm({
    title: t('Cancel what is left?'),
    text: tn(
      'One message that no device has yet is not sent. What a device has already goes on.',
      '{count} messages that no device has yet are not sent. What a device has already goes on.',
      waiting,
    ),
    action: tn('Cancel it', 'Cancel them', waiting),
    keep: tn('Keep it', 'Keep them', waiting),
    danger: true,
  })

export const describeCanceled = (canceled: number): string =>
  tn('One message canceled', '{count} messages canceled', canceled)
