/** How many line breaks a gap has; 0 for a blank. */
const countBreaks = (gap: string) => (gap.startsWith('\n') ? gap.length : 0)

/** A text without blanks at its ends, which it keeps apart: each is '', a blank, or line breaks. */
export class GrowingText {
  text = ''
  /** The blank or line breaks before the text. */
  lead = ''
  /** The blank or line breaks between the text and the words that come next. */
  gap = ''

  /** Adds text without line breaks. */
  addLine(text: string): void {
    if (text.startsWith(' ')) this.widenGap(' ')
    this.addWords(text.trim())
    if (text.endsWith(' ')) this.widenGap(' ')
  }

  /** Adds words behind the gap. They may begin with blanks. */
  addWords(words: string): void {
    if (words === '') return
    if (this.text === '') this.lead = this.gap
    else this.text += this.gap
    this.text += words
    this.gap = ''
  }

  addBreak(): void {
    this.gap = '\n'.repeat(countBreaks(this.gap) + 1)
  }

  /** Makes the gap this one, if it is wider. */
  widenGap(gap: string): void {
    if (countBreaks(gap) > countBreaks(this.gap) || this.gap === '') this.gap = gap
  }
}
