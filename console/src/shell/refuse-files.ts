import { t } from '../language/words.ts'
import { showToast } from '../parts/toast.tsx'

/** Where files are taken. */
const TAKEN = 'input[type="file"], textarea[name="pasted"]'

/**
 * Says that files cannot be sent, if one is pasted into a text or dropped anywhere: the browser would leave
 * the console to show a dropped one. Copied cells have a picture and a text. Returns what ends that.
 */
export function refuseFiles(): () => void {
  const refuse = (event: Event, data: DataTransfer | null) => {
    if (
      event.defaultPrevented || // a form has added them
      !data?.files.length ||
      data.getData('text') !== '' ||
      (event.target as Element).closest(TAKEN)
    )
      return
    event.preventDefault()
    showToast(t('Pictures and other files cannot be sent.'))
  }
  const paste = (event: ClipboardEvent) => {
    if ((event.target as Element).closest('textarea')) refuse(event, event.clipboardData)
  }
  const drop = (event: DragEvent) => refuse(event, event.dataTransfer)
  addEventListener('paste', paste)
  addEventListener('drop', drop)
  return () => {
    removeEventListener('paste', paste)
    removeEventListener('drop', drop)
  }
}
