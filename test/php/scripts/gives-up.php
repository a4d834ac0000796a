<?php
// A plain script with a limit of its own. It numbers its sales and names each sending in a header; when it has waited long
// enough it sends the sale once more, without its number and under the same header. Then it believes what it hears.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

$headers = ["Authorization: Token $key", 'Content-Type: application/json'];
if (isset($order['trace'])) {
    $headers[] = "X-Request-Id: {$order['trace']}";
}

function post(string $address, array $headers, array $sale, int $limitMs): ?array
{
    return json_decode(send("$address/api/topup/", [
        CURLOPT_POST => true,
        CURLOPT_POSTFIELDS => json_encode($sale),
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_TIMEOUT_MS => $limitMs,
    ]), true);
}

$sale = ['network' => 1, 'phone' => $order['phone'], 'amount' => $order['amount'], 'bypass' => true, 'plan_type' => 'VTU'];
$numbered = isset($order['id']) ? $sale + ['request-id' => $order['id']] : $sale;
$reply = post($address, $headers, $numbered, $order['limit']);
$tries = 1;
if ($reply === null && $service === 'again') {
    $reply = post($address, $headers, $sale, 20_000);
    $tries = 2;
}
$details = ['reference' => $reply['reference'] ?? null, 'tries' => $tries];
match ($reply['status'] ?? null) {
    'success' => tell('delivered', $reply['message'], $details),
    'pending' => tell('pending', $reply['message'], $details),
    default => tell('refunded', $reply['message'] ?? null, $details),
};
