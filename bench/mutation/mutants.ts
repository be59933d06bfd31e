import ts from 'typescript'

/** One small change of a source file that a test should notice. */
export interface Mutant {
  line: number
  /** What stood there and what stands there now, for the report. */
  change: string
  /** The whole file with the change. */
  source: string
}

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PercentToken, '*'],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.QuestionQuestionToken, '&&'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+=']
])

/** A choice between 1, -1 and 0: what orders, and of it only the sign counts. */
function isChoiceOfSigns (node: ts.Node): boolean {
  if (ts.isParenthesizedExpression(node)) return isChoiceOfSigns(node.expression)
  if (ts.isConditionalExpression(node)) return isChoiceOfSigns(node.whenTrue) && isChoiceOfSigns(node.whenFalse)
  return /^(-?1|0)$/.test(node.getText())
}
function isSign (node: ts.NumericLiteral): boolean {
  const signed = ts.isPrefixUnaryExpression(node.parent) ? node.parent : node
  return node.text === '1' && ts.isConditionalExpression(signed.parent) && signed.parent.condition !== signed &&
    isChoiceOfSigns(signed.parent)
}

/**
 * All changes that are tried on `source`: operators, numbers, conditions, negations and texts that are compared with.
 * Types are left alone.
 */
export function mutantsOf (path: string, source: string): Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2023, true)
  const found: Mutant[] = []
  function add (node: ts.Node, text: string): void {
    const [start, end] = [node.getStart(file), node.getEnd()]
    const { line } = file.getLineAndCharacterOfPosition(start)
    found.push({
      line: line + 1,
      change: `${source.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 60)} → ${text}`,
      source: source.slice(0, start) + text + source.slice(end)
    })
  }
  function visit (node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
      ts.isImportDeclaration(node)) return
    // what an error says is for people
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText(file))) return
    if (ts.isBinaryExpression(node)) {
      const other = OPERATORS.get(node.operatorToken.kind)
      if (other !== undefined) add(node.operatorToken, other)
    }
    if (ts.isNumericLiteral(node) && !isSign(node)) add(node, String(Number(node.text) + 1))
    if (ts.isBigIntLiteral(node)) add(node, `${BigInt(node.text.slice(0, -1)) + 1n}n`)
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(
        node, node.operand.getText(file)
      )
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken &&
      !ts.isLiteralExpression(node.operand)) add(node, node.operand.getText(file))
    if (ts.isIfStatement(node)) {
      add(node.expression, 'true')
      add(node.expression, 'false')
    }
    if (ts.isConditionalExpression(node)) {
      add(node.condition, 'true')
      add(node.condition, 'false')
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true')
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Plain JavaScript of a changed file: the types only go. */
export const toJavaScript = (source: string): string =>
  ts.transpileModule(
    source,
    { compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true } }
  ).outputText
