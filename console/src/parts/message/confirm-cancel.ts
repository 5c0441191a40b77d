import { tn } from '../../language/words.ts'
import { askToConfirm } from '../dialog/dialog.tsx'

/** Asks whether the texts of a send that wait are to be canceled. */
export const confirmCancel = (waiting: number): Promise<boolean> =>
  askToConfirm({
    title: tn('Cancel this text?', 'Cancel {count} texts?', waiting),
    text: tn(
      'It is not sent. If a device has it already, it is sent all the same.',
      'They are not sent. Texts that a device has already are sent all the same.',
      waiting,
    ),
    action: tn('Cancel it', 'Cancel them', waiting),
    keep: tn('Keep it', 'Keep them', waiting),
    danger: true,
  })

export const describeCanceled = (canceled: number): string =>
  tn('One message canceled', '{count} messages canceled', canceled)
