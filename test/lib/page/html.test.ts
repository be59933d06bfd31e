import t from 'tap'
import { escapeHtml, fillTemplate } from '../../../lib/page/html.js'

t.test('text of a stranger is text', async t => {
  t.equal(escapeHtml('<a href="x">&\'</a>'), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;')
  t.equal(
    fillTemplate('<b title="{{a}}">{{b}}</b>', { a: '"{{b}}', b: '$&' }),
    '<b title="&quot;{{b}}">$&amp;</b>',
    'nor does it open places or patterns'
  )
  t.throws(() => fillTemplate('{{a}}', {}), RangeError)
})
