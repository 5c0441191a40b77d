import { plainer } from '../data/plain-text.ts'
import { shortMessages } from '../data/text-size.ts'
import { Button } from './button.tsx'

/** Offers plainer signs for a text where that makes room. */
export function Plainer({ text, onText }: { text: string; onText: (text: string) => void }) {
  const offer = plainer(text)
  if (!offer) return null
  return (
    <div class="row">
      <Button onClick={() => onText(offer.text)}>
        {offer.saved > 0
          ? `Plain quotes and dashes: ${shortMessages(offer.saved)} less`
          : 'Plain quotes and dashes: 160 characters fit'}
      </Button>
    </div>
  )
}
