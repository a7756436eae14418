import svelte from 'eslint-plugin-svelte';
import { defineConfig, globalIgnores } from 'eslint/config';
import ts from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    '**/.svelte-check/',
    '**/paraglide/',
    '**/api.d.ts',
    'src/',
    'build/',
    'extension/',
  ]),
  ts.configs.recommended,
  svelte.configs.recommended,
  svelte.configs.prettier,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-constructor-return': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unmodified-loop-condition': 'error',
      'prefer-const': 'off',
      // svelte-check reports unused names with full type information.
      '@typescript-eslint/no-unused-vars': 'off',
      'svelte/prefer-const': 'error',
      // State is replaced, not mutated: maps and sets in it need not be reactive.
      'svelte/prefer-svelte-reactivity': 'off',
      // svelte-check compiles every component and reports these as well.
      'svelte/no-unused-svelte-ignore': 'off',
      'svelte/valid-compile': 'off',
    },
  },
);
