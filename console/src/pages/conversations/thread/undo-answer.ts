import { dropAttachmentLines } from '#portable/attachment-lines.ts'
import { postRequest } from '../../../data/client.ts'
import { readFault } from '../../../data/fault.ts'
import type { Message } from '../../../data/record-types.ts'
import { t } from '../../../language/words.ts'
import { readStoredFile } from '../../../parts/attachments/attachments.tsx'
import { showToast, showToastFault } from '../../../parts/toast.tsx'

/** An answer that was taken back, for the answer box. */
export interface UndoneAnswer {
  readonly body: string
  readonly files: readonly File[]
}

/** Whether its sender, or a colleague, can still take the text back. */
export const canUndo = ({ status, waiting_for }: Message): boolean =>
  status === 'pending' && waiting_for === 'undo'

/** Takes an answer back. Says so and returns nothing if it is too late. */
export async function undoAnswer(message: Message): Promise<UndoneAnswer | undefined> {
  try {
    // a canceled text keeps no files, so they are read before
    const files = await Promise.all(
      message.attachments.map((name) => readStoredFile({ record: message, name })),
    )
    await postRequest(`/api/sms/messages/${message.id}/cancel`)
    return { body: readWords(message), files }
  } catch (error) {
    if (readFault(error).code === 'not_cancelable') showToast(t('Too late: the text has left.'))
    else showToastFault(error)
    return undefined
  }
}

/** The words of a text, without what the server has added for its files: their names, or links to them. */
const readWords = ({ id, body, attachments }: Message): string =>
  attachments.length === 0
    ? body
    : dropAttachmentLines(body)
        .split(/(?=\s)/)
        .filter((word) => !word.includes(`/f/${id}`))
        .join('')
