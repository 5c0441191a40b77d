import { formatSegments, suggestPlainText } from '../data/text/text-size.ts'
import { t } from '../language/words.ts'
import { Button } from './form/form.tsx'

export function SuggestPlainText({
  text,
  onText,
}: {
  text: string
  onText: (text: string) => void
}) {
  const offer = suggestPlainText(text)
  if (!offer) return null
  return (
    <div class="row">
      <Button onClick={() => onText(offer.text)}>{t('Plain quotes and dashes')}</Button>
      {offer.saved > 0 && (
        <span class="muted">{t('{segments} less', { segments: formatSegments(offer.saved) })}</span>
      )}
    </div>
  )
}
