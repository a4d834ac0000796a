// http-proxy-middleware as its README has it, for `npm run bench:peers`: no agent, so that each request opens a connection to v1.
const express = require('express');
const { createProxyMiddleware } = require('http-proxy-middleware');

const app = express();
app.use(createProxyMiddleware({ target: `http://127.0.0.1:${process.env.UPSTREAM_PORT}`, changeOrigin: true }));
app.listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 8192 });
