import { addLanguageWords, ENGLISH_WORDS } from '#portable/opt-words-by-language.ts'
import { E164 } from '#portable/phone/e164.ts'
import { readsLikeOptOut } from '#portable/reads-like-opt-out.ts'
import { declineOptOut, isDeclined, optOutByText } from '../../../data/opt-out/opt-out.ts'
import type { Message } from '../../../data/record-types.ts'
import { ownSettings } from '../../../data/user-settings/own.ts'
import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/form.tsx'
import { showOptedOut } from '../../../parts/opted-out-toast.ts'
import { showToastFault } from '../../../parts/toast.tsx'
import type { About } from '../side-panel.tsx'

/** Above the answer box: the last text reads like an opt-out. Goes with "No", or with the next text. */
export function OptOutQuestion({
  about: { number, isOptedOut, isContactKnown },
  texts,
}: {
  about: About
  texts: readonly Message[]
}) {
  const last = texts.reduce<Message | undefined>(
    (newest, text) => (newest && newest.created > text.created ? newest : text),
    undefined,
  )
  if (isOptedOut || !isContactKnown || !E164.test(number)) return null
  if (last?.message_type !== 'incoming' || isDeclined(last.id)) return null
  const words = addLanguageWords(ENGLISH_WORDS, ownSettings.value?.opt_out_languages ?? [])
  if (!readsLikeOptOut(last, words)) return null
  const optOut = () => optOutByText(last).then(() => showOptedOut([number]), showToastFault)
  return (
    <div class="conversations-rival" role="status">
      <span>{t('Reads like an opt-out: opt out?')}</span>
      <Button kind="quiet" onClick={() => void optOut()}>
        {t('Opt out')}
      </Button>
      <Button kind="quiet" onClick={() => declineOptOut(last.id)}>
        {t('No')}
      </Button>
    </div>
  )
}
