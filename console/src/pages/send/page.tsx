import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Send. */
export const Page = () => (
  <Frame title="Send">
    <Empty icon="send" title="Nothing to send with yet">
      Add a device first.
    </Empty>
  </Frame>
)
