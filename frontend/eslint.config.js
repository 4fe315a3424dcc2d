import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: {
      globals: Object.fromEntries(
        ["AbortController", "Blob", "HTMLElement", "Path2D", "TextDecoder", "URL", "URLSearchParams", "MutationObserver", "ResizeObserver",
          "clearInterval", "clearTimeout", "document", "fetch", "getComputedStyle", "location", "history", "matchMedia",
          "navigator", "requestAnimationFrame", "setInterval", "setTimeout", "window", "Image", "queueMicrotask"]
          .map((name) => [name, "readonly"]),
      ),
    },
    rules: { eqeqeq: "error", "no-var": "error", "prefer-const": "error" },
  },
];
