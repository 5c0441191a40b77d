import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Templates. */
export const Page = () => (
  <Frame title="Templates">
    <Empty icon="templates" title="No templates yet">
      A template is a text with blanks.
    </Empty>
  </Frame>
)
