// Stands for undici in the one file of `npm run build`: what a start needs, from its own files, and all the rest when it is asked for.
module.exports = {
  Agent: require('../node_modules/undici/lib/dispatcher/agent'),
  Client: require('../node_modules/undici/lib/dispatcher/client'),
  buildConnector: require('../node_modules/undici/lib/core/connect'),
  get request() {
    return require('../node_modules/undici/index').request;
  },
};
